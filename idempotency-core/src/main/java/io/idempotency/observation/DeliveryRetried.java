package io.idempotency.observation;

import org.jspecify.annotations.Nullable;

/**
 * One execution of a delivery failed in a way that a repeat may mend, and is repeated inside of the same delivery.
 *
 * @param consumer who receives
 * @param messageId the message
 * @param execution the number of the execution that failed, from 1
 * @param sqlState what PostgreSQL or the driver reported; {@code null} if the connection was lost without a word
 * @param failure what was thrown
 */
public record DeliveryRetried(
        String consumer,
        String messageId,
        int execution,
        @Nullable String sqlState,
        Throwable failure) {}
