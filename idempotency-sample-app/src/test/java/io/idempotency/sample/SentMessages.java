package io.idempotency.sample;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;

/** A message as the relay sends it, always the same one. */
public final class SentMessages {

    private SentMessages() {}

    /** Sends it, and returns when it was handled. */
    public static void send(OutboxSender sender, String topic, String payload) throws Exception {
        sender.send(new OutboxRecord(
                        new UUID(0, 1),
                        topic,
                        "type",
                        null,
                        null,
                        null,
                        payload,
                        Map.of(),
                        null,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        1))
                .toCompletableFuture()
                .get();
    }
}
