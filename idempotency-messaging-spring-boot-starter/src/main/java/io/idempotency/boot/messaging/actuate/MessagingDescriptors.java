package io.idempotency.boot.messaging.actuate;

import java.time.Duration;
import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.Intent;
import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.HandledMessage;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PendingMessage;

/**
 * The responses of the endpoint about messages: records of the library, with the members that only the endpoint has. Members
 * that are {@code null} are left out.
 */
final class MessagingDescriptors {

    private MessagingDescriptors() {}

    record Outbox(
            Instant sampledAt, Duration age, @JsonUnwrapped OutboxSampled sample) {

        static Outbox of(Taken<OutboxSampled> taken) {
            return new Outbox(taken.at(), taken.age(), taken.sample());
        }
    }

    record Handled(@JsonUnwrapped HandledMessage message) implements OperationResponseBody {}

    /** The intent of the call that published a message, whose key is shown as text. */
    record Publisher(String scope, String caller, String key) {}

    /** A message of the outbox, with the intent of the call that published it. */
    record Message<M>(
            @JsonUnwrapped @JsonIgnoreProperties("intent") M message,
            @Nullable Publisher publishedBy) {

        static Message<PendingMessage> of(PendingMessage message) {
            return of(message, message.intent());
        }

        static Message<DeadMessage> of(DeadMessage message) {
            return of(message, message.intent());
        }

        private static <M> Message<M> of(M message, @Nullable Intent intent) {
            return new Message<>(
                    message,
                    intent == null
                            ? null
                            : new Publisher(
                                    intent.scope(),
                                    intent.caller(),
                                    intent.key().value()));
        }
    }

    record Requeued(String operation, String messageId, String who, String reason) implements OperationResponseBody {}
}
