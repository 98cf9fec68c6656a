package io.idempotency.messaging;

import org.jspecify.annotations.Nullable;

/**
 * The event that an execution of a delivery failed with a retryable failure and is repeated inside of the same
 * delivery.
 *
 * @param consumer consumer of the message
 * @param messageId id of the message
 * @param execution number of the failed execution, from 1
 * @param sqlState SQLSTATE from PostgreSQL or the driver; {@code null} if none was reported
 * @param failure exception of the execution
 */
public record DeliveryRetried(
        String consumer,
        String messageId,
        int execution,
        @Nullable String sqlState,
        Throwable failure) {}
