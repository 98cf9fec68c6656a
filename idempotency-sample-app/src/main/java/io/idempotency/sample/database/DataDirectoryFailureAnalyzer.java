package io.idempotency.sample.database;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports in the place of a stack trace why the sample has no database. */
final class DataDirectoryFailureAnalyzer extends AbstractFailureAnalyzer<DataDirectoryException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DataDirectoryException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
