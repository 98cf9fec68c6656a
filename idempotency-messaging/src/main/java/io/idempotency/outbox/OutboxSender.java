package io.idempotency.outbox;

import java.util.Collection;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A sender of outbox messages. An application that defines a bean of this type replaces the library's own sender.
 *
 * <p>A message may be sent more than once, always with the same id: after a time-out, or if a crash or a lost
 * connection prevents that it is recorded as sent. A message is handed over only after the one before it with the same
 * ordering key was acknowledged.
 */
public interface OutboxSender {

    /**
     * Begins to send a message, without waiting for its end. Called by one thread of each instance.
     *
     * @param message message to send
     * @return a stage that completes when the receiver has acknowledged the message, and fails if this is not certain.
     *     A {@link SenderUnavailableException} means that no message can be sent at the moment; any other failure
     *     counts as a failed attempt of this message. If the stage does not complete within
     *     {@code idempotency.outbox.send-timeout}, it is cancelled, which is a failure too
     */
    CompletionStage<Void> send(OutboxRecord message);

    /**
     * Returns the topics that it sends. Messages of others, and those behind them in their order, are left to other
     * instances: they stay pending, and are no attempts.
     *
     * @return the topics; {@code null}, the default, for all
     */
    default @Nullable Collection<String> topics() {
        return null;
    }

    /**
     * Returns the most messages that are sent at the same time. Further ones are handed over when one of them has
     * completed.
     *
     * @return by default all messages of a batch
     */
    default int concurrency() {
        return Integer.MAX_VALUE;
    }
}
