package io.idempotency.internal.inbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The identity of one claim of a message, by which a later attempt recognizes its row. The time alone is not unique: claims that wait
 * for each other may have begun in the same microsecond.
 *
 * @param transactionId the id of the transaction; {@code null} if the server gave none, as the coordinator of Citus
 */
public record InboxClaim(Instant processedAt, @Nullable String transactionId) {}
