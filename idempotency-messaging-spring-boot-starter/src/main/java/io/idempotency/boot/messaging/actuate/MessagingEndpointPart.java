package io.idempotency.boot.messaging.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;
import io.idempotency.boot.actuate.EndpointPart;
import io.idempotency.boot.actuate.RefusedRequestException;
import io.idempotency.boot.messaging.actuate.MessagingDescriptors.Handled;
import io.idempotency.boot.messaging.actuate.MessagingDescriptors.Message;
import io.idempotency.boot.messaging.actuate.MessagingDescriptors.Outbox;
import io.idempotency.boot.messaging.actuate.MessagingDescriptors.Requeued;
import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.OutboxSampled;

/** The messages in the endpoint. */
final class MessagingEndpointPart implements EndpointPart {

    private static final String REQUEUE = "requeue";

    private final MessagingAdministration administration;

    private final LatestMessagingSamples samples;

    MessagingEndpointPart(MessagingAdministration administration, LatestMessagingSamples samples) {
        this.administration = administration;
        this.samples = samples;
    }

    /** Returns nothing in an instance that sends no messages, because it takes no sample of the outbox. */
    @Override
    public Map<String, Object> overview() {
        Taken<OutboxSampled> taken = samples.outbox();
        return taken == null ? Map.of() : Map.of("outbox", Outbox.of(taken));
    }

    @Override
    public Map<String, IntFunction<List<?>>> sections() {
        Map<String, IntFunction<List<?>>> sections = new LinkedHashMap<>();
        sections.put("failing-messages", administration::findFailingMessages);
        sections.put(
                "pending-messages",
                limit -> administration.findPendingMessages(limit).stream()
                        .map(Message::of)
                        .toList());
        sections.put(
                "dead-messages",
                limit -> administration.findDeadMessages(limit).stream()
                        .map(Message::of)
                        .toList());
        return sections;
    }

    @Override
    public Map<String, Operation> operations() {
        return Map.of(REQUEUE, new Operation("messageId", this::requeue));
    }

    private OperationResponseBody requeue(String messageId, Reason reason) {
        UUID id = parse(messageId);
        administration.requeue(id, reason);
        return new Requeued(REQUEUE, id.toString(), reason.who(), reason.why());
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
        throw RefusedRequestException.badRequest("'messageId' must be a UUID, not '" + text + "'.");
    }

    @Override
    public @Nullable OperationResponseBody findRecord(Intent intent) {
        return administration
                .findHandledMessage(intent.scope(), intent.key().value())
                .map(Handled::new)
                .orElse(null);
    }

    @Override
    public String scopeHint() {
        return "For a handled message, 'scope' is its consumer.";
    }
}
