package io.idempotency.boot.messaging.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.idempotency.Intent;
import io.idempotency.boot.actuate.EndpointPart;
import io.idempotency.boot.actuate.RefusedRequestException;
import io.idempotency.boot.actuate.RequestParameters;
import io.idempotency.boot.actuate.Row;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.PendingMessage;

/** The messages in the endpoint. */
record MessagingEndpointPart(MessagingAdministration administration) implements EndpointPart {

    private static final String MESSAGE_ID = "messageId";

    @Override
    public Map<String, Section> sections() {
        Map<String, Section> sections = new LinkedHashMap<>();
        sections.put(
                "failing-messages",
                (limit, parameters) -> Row.of(administration.findFailingMessages(limit), message -> null));
        sections.put(
                "pending-messages",
                (limit, parameters) -> Row.of(administration.findPendingMessages(limit), PendingMessage::intent));
        sections.put(
                "dead-messages",
                (limit, parameters) -> Row.of(administration.findDeadMessages(limit), DeadMessage::intent));
        return sections;
    }

    @Override
    public Map<String, Operation> operations() {
        return Map.of("requeue", new Operation(List.of(MESSAGE_ID), (parameters, reason) -> {
            UUID id = parse(parameters.text(MESSAGE_ID));
            administration.requeue(id, reason);
            return new Requeued(id);
        }));
    }

    private static UUID parse(String text) {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException noUuid) {
            // Refused below, like one that is abbreviated.
        }
        throw RefusedRequestException.badRequest("'" + MESSAGE_ID + "' must be a UUID, not '" + text + "'.");
    }

    @Override
    public Optional<Row> findRecord(Intent intent, RequestParameters parameters) {
        return administration
                .findHandledMessage(intent.scope(), intent.key().value())
                .map(message -> new Row(null, message, null));
    }

    @Override
    public String scopeHint() {
        return "For a handled message, 'scope' is its consumer.";
    }

    /** The target of a requeue. */
    record Requeued(UUID messageId) {}
}
