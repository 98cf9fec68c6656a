package io.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The stored request of one intent; for operators.
 *
 * @param intent scope, caller and key
 * @param status state of the request
 * @param stale whether it is PROCESSING without a valid lease: the lease has expired, or there is none
 * @param attempt number of the last attempt
 * @param claimedBy application name, process and host of the last attempt
 * @param createdAt time of the first claim, by the database's clock
 * @param claimedAt time at which the last attempt began, by the database's clock
 * @param lockedUntil end of the lease; {@code null} if there is none
 * @param expiresAt time from which the purge may delete the row
 * @param hasResponse whether a response is stored
 * @param resultType type of the object that the call created; {@code null} if it is not declared
 * @param resultId id of the object that the call created; {@code null} if it is not declared
 * @param failureCode code of the last failure; {@code null} if it did not fail
 * @param failureMessage message of the last failure; {@code null} if it did not fail
 */
public record IdempotencyRecord(
        Intent intent,
        RequestStatus status,
        boolean stale,
        int attempt,
        String claimedBy,
        Instant createdAt,
        Instant claimedAt,
        @Nullable Instant lockedUntil,
        Instant expiresAt,
        boolean hasResponse,
        @Nullable String resultType,
        @Nullable String resultId,
        @Nullable String failureCode,
        @Nullable String failureMessage) {}
