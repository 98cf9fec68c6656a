package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.HandledMessage;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;

/** The read operations of the endpoint. */
final class EndpointReads {

    private static final int DEFAULT_LIMIT = 50;

    private static final int DEFAULT_ATTEMPTS = 2;

    private static final int MAX_BLOCKED_CLAIMS = 20;

    private static final List<String> SECTIONS = List.of(
            "stale-leases",
            "abandoned",
            "repeated-commands",
            "failing-messages",
            "pending-messages",
            "dead-messages",
            "record");

    private final IdempotencyAdministration administration;

    private final LatestSamples samples;

    EndpointReads(IdempotencyAdministration administration, LatestSamples samples) {
        this.administration = administration;
        this.samples = samples;
    }

    Descriptors.Overview overview() {
        return new Descriptors.Overview(
                Descriptors.Storage.of(samples.storage()), Descriptors.Outbox.of(samples.outbox()), SECTIONS);
    }

    OperationResponseBody section(String name, RequestParameters parameters, boolean showResponse) {
        return switch (name) {
            case "stale-leases" -> page(parameters, administration::findStaleLeases, Descriptors.Request::of);
            case "abandoned" -> page(parameters, administration::findAbandoned, Descriptors.Request::of);
            case "repeated-commands" -> {
                int attempts = parameters.number("attempts", DEFAULT_ATTEMPTS, Integer.MAX_VALUE);
                yield page(
                        parameters, limit -> administration.findWithAttempts(attempts, limit), Descriptors.Request::of);
            }
            case "failing-messages" -> page(parameters, administration::findFailingMessages, Function.identity());
            case "pending-messages" -> page(parameters, administration::findPendingMessages, Descriptors.Message::of);
            case "dead-messages" -> page(parameters, administration::findDeadMessages, Descriptors.Message::of);
            case "record" -> record(parameters, showResponse);
            default ->
                throw new RefusedRequestException(
                        RefusedRequestException.NOT_FOUND,
                        "There is no section '" + name + "'. There are " + String.join(", ", SECTIONS) + ".");
        };
    }

    private static <T, D> Descriptors.Page<D> page(
            RequestParameters parameters, IntFunction<List<T>> find, Function<T, D> describe) {
        int limit = parameters.number("limit", DEFAULT_LIMIT, IdempotencyAdministration.MAX_ROWS);
        return Descriptors.Page.of(
                limit, find.apply(limit).stream().map(describe).toList());
    }

    private OperationResponseBody record(RequestParameters parameters, boolean showResponse) {
        if (!parameters.has("scope") && parameters.has("key")) {
            return ofAllScopes(parameters);
        }
        parameters.require("record", List.of("scope", "key"));
        Intent intent = parameters.intent();
        Optional<IdempotencyRecord> found = administration.find(intent);
        if (found.isPresent()) {
            return Descriptors.Request.of(
                    found.get(),
                    showResponse && found.get().hasResponse()
                            ? administration.findResponse(intent).orElse(null)
                            : null,
                    administration.findSteps(intent));
        }
        Optional<HandledMessage> message =
                administration.findHandledMessage(intent.scope(), intent.key().value());
        if (message.isPresent()) {
            return new Descriptors.Handled(message.get());
        }
        if (!parameters.has("caller")) {
            Descriptors.Page<Descriptors.Request> ofCallers = page(
                    parameters,
                    limit -> administration.search(intent.scope(), intent.key().value(), null, limit),
                    Descriptors.Request::of);
            if (!ofCallers.rows().isEmpty()) {
                return ofCallers;
            }
        }
        throw new RefusedRequestException(RefusedRequestException.NOT_FOUND, explainMissing(intent));
    }

    private Descriptors.Page<Descriptors.Request> ofAllScopes(RequestParameters parameters) {
        String key = parameters.text("key");
        Descriptors.Page<Descriptors.Request> found =
                page(parameters, limit -> administration.search(null, key, null, limit), Descriptors.Request::of);
        if (found.rows().isEmpty()) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "No request with the key '" + key
                            + "' is stored in any scope. For a handled message, 'scope' is its" + " consumer.");
        }
        return found;
    }

    private String explainMissing(Intent intent) {
        boolean isScopeKnown =
                !administration.search(intent.scope(), null, null, 1).isEmpty();
        return "Nothing is stored for the " + intent + ". "
                + (isScopeKnown ? "" : "No request of that scope is stored at all: it may be misspelt. ")
                + BlockedClaimsText.of(administration.findBlockedClaims(MAX_BLOCKED_CLAIMS));
    }
}
