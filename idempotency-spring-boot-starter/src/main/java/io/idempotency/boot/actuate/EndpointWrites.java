package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    private final IdempotencyAdministration administration;

    private final Purge purge;

    private final Map<String, EndpointPart.Operation> operationsOfParts = new LinkedHashMap<>();

    EndpointWrites(IdempotencyAdministration administration, Purge purge, List<EndpointPart> parts) {
        this.administration = administration;
        this.purge = purge;
        parts.forEach(part -> operationsOfParts.putAll(part.operations()));
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
                case "purge" -> purge(reason("purge", List.of(), parameters, principal));
                default -> ofPart(operation, parameters, principal);
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
                operation, intent.scope(), intent.caller(), intent.key().value(), reason.who(), reason.why());
    }

    private void complete(Intent intent, String response, Reason reason) {
        try {
            administration.completeStale(intent, response, reason);
        } catch (IllegalArgumentException notJson) {
            throw RefusedRequestException.badRequest(String.valueOf(notJson.getMessage()));
        }
    }

    private OperationResponseBody ofPart(String name, RequestParameters parameters, @Nullable String principal) {
        EndpointPart.Operation operation = operationsOfParts.get(name);
        if (operation == null) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "There is no operation '" + name + "'. There are " + String.join(", ", operations()) + ".");
        }
        Reason reason = reason(name, List.of(operation.parameter()), parameters, principal);
        return operation.work().apply(parameters.text(operation.parameter()), reason);
    }

    private List<String> operations() {
        List<String> names = new ArrayList<>(List.of("release", "complete", "forget", "retry"));
        names.addAll(operationsOfParts.keySet());
        names.add("purge");
        return names;
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
            throw RefusedRequestException.badRequest(
                    "'who' is not needed, because you are '" + principal + "', and not '" + who + "'.");
        }
        try {
            return new Reason(principal != null ? principal : parameters.text("who"), parameters.text("reason"));
        } catch (IllegalArgumentException unreadable) {
            throw RefusedRequestException.badRequest(unreadable.getMessage() + ".");
        }
    }
}
