package io.idempotency.internal.postgres.administration;

import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;

/** The log of the changes of operators, with their reasons: one line for each change. */
final class InterventionLog {

    /** The feature and not a class, so that the log can be written to a separate file. */
    static final String NAME = "io.idempotency.administration";

    private final Logger logger = LoggerFactory.getLogger(NAME);

    void changed(String operation, Intent intent, Reason reason) {
        LoggingEventBuilder line = logger.atWarn()
                .addKeyValue("operation", operation)
                .addKeyValue("scope", intent.scope())
                .addKeyValue("caller", intent.caller())
                .addKeyValue("key", intent.key().value());
        log(line, operation, intent.toString(), reason);
    }

    void changed(String operation, UUID messageId, Reason reason) {
        LoggingEventBuilder line =
                logger.atWarn().addKeyValue("operation", operation).addKeyValue("message_id", messageId);
        log(line, operation, "message " + messageId, reason);
    }

    private static void log(LoggingEventBuilder line, String operation, String target, Reason reason) {
        line.addKeyValue("who", reason.who())
                .addKeyValue("why", reason.why())
                .log("Operator intervention: {} {} by {} because {}", operation, target, reason.who(), reason.why());
    }
}
