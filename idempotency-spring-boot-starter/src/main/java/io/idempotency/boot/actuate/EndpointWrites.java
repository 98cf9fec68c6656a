package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;

/** The write operations of the endpoint. Each needs a reason. */
final class EndpointWrites {

    /** The logger that {@link IdempotencyAdministration} uses for its interventions. */
    private static final Logger logger = LoggerFactory.getLogger("io.idempotency.administration");

    /** Short, because an operator waits for the response. */
    private static final Duration PURGE_TIME = Duration.ofSeconds(10);

    private static final List<String> OPERATIONS =
            List.of("release", "complete", "forget", "retry", "requeue", "purge");

    private final IdempotencyAdministration administration;

    private final Purge purge;

    EndpointWrites(IdempotencyAdministration administration, Purge purge) {
        this.administration = administration;
        this.purge = purge;
    }

    /**
     * Performs the operation.
     *
     * @param principal the authenticated user; {@code null} if there is none
     */
    OperationResponseBody perform(String operation, RequestParameters parameters, @Nullable String principal) {
        try {
            return switch (operation) {
                case "release", "complete", "forget", "retry" -> change(operation, parameters, principal);
                case "requeue" -> requeue(parameters, principal);
                case "purge" -> purge(reason("purge", List.of(), parameters, principal));
                default ->
                    throw new RefusedRequestException(
                            RefusedRequestException.NOT_FOUND,
                            "There is no operation '" + operation + "'. There are " + String.join(", ", OPERATIONS)
                                    + ".");
            };
        } catch (InterventionRefusedException refused) {
            throw new RefusedRequestException(
                    refused.isFound() ? RefusedRequestException.CONFLICT : RefusedRequestException.NOT_FOUND,
                    refused.getMessage() + ".");
        }
    }

    private Descriptors.Done change(String operation, RequestParameters parameters, @Nullable String principal) {
        List<String> needed = switch (operation) {
            case "complete" -> List.of("scope", "key", "response");
            case "retry" -> List.of("scope", "key", "step");
            default -> List.of("scope", "key");
        };
        Reason reason = reason(operation, needed, parameters, principal);
        Intent intent = parameters.intent();
        switch (operation) {
            case "release" -> administration.releaseStale(intent, reason);
            case "complete" -> complete(intent, parameters.text("response"), reason);
            case "retry" -> administration.retryFrom(intent, parameters.text("step"), reason);
            default -> administration.forget(intent, reason);
        }
        return new Descriptors.Done(
                operation, intent.scope(), intent.caller(), intent.key().value(), null, reason.who(), reason.why());
    }

    private void complete(Intent intent, String response, Reason reason) {
        try {
            administration.completeStale(intent, response, reason);
        } catch (IllegalArgumentException notJson) {
            throw new RefusedRequestException(
                    RefusedRequestException.BAD_REQUEST, String.valueOf(notJson.getMessage()));
        }
    }

    private Descriptors.Done requeue(RequestParameters parameters, @Nullable String principal) {
        Reason reason = reason("requeue", List.of("messageId"), parameters, principal);
        UUID messageId = messageId(parameters.text("messageId"));
        administration.requeue(messageId, reason);
        return new Descriptors.Done("requeue", null, null, null, messageId.toString(), reason.who(), reason.why());
    }

    private static UUID messageId(String text) {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException noUuid) {
            // Refused below, like one that is abbreviated.
        }
        throw new RefusedRequestException(
                RefusedRequestException.BAD_REQUEST, "'messageId' must be a UUID, not '" + text + "'.");
    }

    private Descriptors.Purged purge(Reason reason) {
        // Logged first, because deleted rows stay deleted even if the purge fails.
        logger.atWarn()
                .addKeyValue("operation", "purge")
                .addKeyValue("who", reason.who())
                .addKeyValue("why", reason.why())
                .log("Operator intervention: purge by {} because {}", reason.who(), reason.why());
        try {
            PurgeReport report = purge.run(PURGE_TIME);
            return new Descriptors.Purged(
                    "purge", report.deleted(), report.end().name(), reason.who(), reason.why());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RefusedRequestException(
                    RefusedRequestException.UNAVAILABLE, "The purge was stopped. What it has deleted stays deleted.");
        }
    }

    private static Reason reason(
            String operation, List<String> needed, RequestParameters parameters, @Nullable String principal) {
        List<String> all = new ArrayList<>(needed);
        all.add("reason");
        if (principal == null) {
            all.add("who");
        }
        parameters.require(operation, all);
        String who = parameters.get("who");
        if (principal != null && who != null && !who.equals(principal)) {
            throw new RefusedRequestException(
                    RefusedRequestException.BAD_REQUEST,
                    "'who' is not needed, because you are '" + principal + "', and not '" + who + "'.");
        }
        try {
            return new Reason(principal != null ? principal : parameters.text("who"), parameters.text("reason"));
        } catch (IllegalArgumentException unreadable) {
            throw new RefusedRequestException(RefusedRequestException.BAD_REQUEST, unreadable.getMessage() + ".");
        }
    }
}
