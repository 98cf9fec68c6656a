package io.idempotency.boot.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.idempotency.IdempotencyStartupException;

/** Shows what is wrong and what to change, instead of a stack trace. */
final class IdempotencyStartupFailureAnalyzer extends AbstractFailureAnalyzer<IdempotencyStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IdempotencyStartupException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), rootFailure);
    }
}
