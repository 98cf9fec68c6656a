package io.idempotency.internal.postgres.administration;

import java.util.function.UnaryOperator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;

/** The log of the changes of operators, with their reasons: one line for each change. */
public final class InterventionLog {

    /** The feature and not a class, so that the log can be written to a separate file. */
    static final String NAME = "io.idempotency.administration";

    private final Logger logger = LoggerFactory.getLogger(NAME);

    void changed(String operation, Intent intent, Reason reason) {
        changed(
                operation,
                intent.toString(),
                line -> line.addKeyValue("scope", intent.scope())
                        .addKeyValue("caller", intent.caller())
                        .addKeyValue("key", intent.key().value()),
                reason);
    }

    /**
     * Logs a change.
     *
     * @param target what was changed, as text
     * @param values adds what was changed as key values
     */
    public void changed(String operation, String target, UnaryOperator<LoggingEventBuilder> values, Reason reason) {
        values.apply(logger.atWarn().addKeyValue("operation", operation))
                .addKeyValue("who", reason.who())
                .addKeyValue("why", reason.why())
                .log("Operator intervention: {} {} by {} because {}", operation, target, reason.who(), reason.why());
    }
}
