package io.idempotency.sample.database;

import org.flywaydb.core.api.FlywayException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports in the place of a stack trace that the tables are those of another version, since the data outlives the code. */
final class MigrationFailureAnalyzer extends AbstractFailureAnalyzer<FlywayException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, FlywayException cause) {
        return new FailureAnalysis(
                "The tables in the database of the sample are not those of this version. " + cause.getMessage(),
                "Delete the directory of its data (sample.database.directory) if the data is not needed any more, or start"
                        + " with another one: --sample.database.directory=... With the profile postgres, name an empty"
                        + " database.",
                cause);
    }
}
