package io.idempotency.internal.outbox;

import java.time.Duration;

import io.idempotency.internal.backoff.Backoff;

/**
 * The settings of sending.
 *
 * @param batchSize the number of messages of a batch, approximately
 * @param sendTimeout the longest time of one message; messages of a batch are started for as long, so that a batch takes at most
 *     twice as long
 * @param maxAttempts the number of failures after which a message is dead
 */
public record RelaySettings(int batchSize, Duration sendTimeout, int maxAttempts, Backoff backoff) {

    /** Returns the time after which the server ends the transaction of a relay that hangs. */
    Duration transactionBound() {
        return sendTimeout.multipliedBy(3);
    }
}
