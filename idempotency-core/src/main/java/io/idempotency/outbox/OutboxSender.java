package io.idempotency.outbox;

import java.util.concurrent.CompletionStage;

/**
 * Sends messages to wherever they go. An application that defines a bean of this type replaces the library's own.
 *
 * <p>A message may be sent more than once, always with the same id: after a crash between sending and keeping that it was
 * sent, after a time-out, and when the database was lost in between. Of messages with the same ordering key the next one is
 * handed over only after the one before was acknowledged.
 */
public interface OutboxSender {

    /**
     * Begins to send a message, and returns soon. Called by one thread of each instance.
     *
     * @param message what to send
     * @return completes when the message is safe with its receiver; with an exception if it is not, or might not be. A
     *     {@link SenderUnavailableException} says that nothing can be sent at the moment, whatever the message; other
     *     failures are counted as attempts of this message. Cancelled if it does not complete within
     *     {@code idempotency.outbox.send-timeout}, which is a failure too
     */
    CompletionStage<Void> send(OutboxRecord message);

    /**
     * How many messages may be on their way at once; further ones are handed over when one of them is done.
     *
     * @return by default as many as a batch has
     */
    default int concurrency() {
        return Integer.MAX_VALUE;
    }
}
