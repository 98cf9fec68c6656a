package io.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is stored for one intent, for operators.
 *
 * @param intent scope, caller and key
 * @param status how far it got
 * @param stale whether it is being processed by nobody that is known: its lease has expired, or there is none
 * @param attempt the number of the last attempt
 * @param claimedBy application name, process and host of the last attempt
 * @param createdAt when the intent was claimed first, in the database's time
 * @param claimedAt when the last attempt began, in the database's time
 * @param lockedUntil how long its lease holds the key; {@code null} if there is none
 * @param expiresAt when the purge may delete the row
 * @param hasResponse whether a response is stored
 * @param resultType what kind of thing the call made; {@code null} if not told
 * @param resultId which thing it made; {@code null} if not told
 * @param failureCode the code of the last failure; {@code null} if it did not fail
 * @param failureMessage the message of the last failure; {@code null} if it did not fail
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
