package io.idempotency.internal.outbox;

import java.time.Duration;

/**
 * How messages are sent.
 *
 * @param batchSize how many are taken at once, roughly
 * @param sendTimeout how long one message may take; also how long messages of a batch are begun with, so that a batch takes
 *     at most twice as long
 * @param maxAttempts after how many failures a message is given up
 * @param backoff between attempts
 */
public record RelaySettings(int batchSize, Duration sendTimeout, int maxAttempts, Backoff backoff) {

    /** When the server may end the transaction of a relay that does not come back. */
    Duration transactionBound() {
        return sendTimeout.multipliedBy(3);
    }
}
