package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import org.springframework.dao.DataAccessException;

import io.idempotency.Intent;
import io.idempotency.internal.codec.Fingerprint;

/** By whom the key of a call is claimed in its transaction: the store of calls, or the inbox for a message. */
public interface KeyClaimer {

    /**
     * Takes the key of an intent, or finds who has it. Waits for another transaction that holds the key, at most for the
     * limit of the request. Nothing is locked or written if the key is not granted.
     *
     * @param connection with an open transaction, which the claim becomes part of
     * @param request what to claim
     * @return the result; if it is {@link ClaimResult.Kind#IN_PROGRESS}, the transaction is aborted
     * @throws DataAccessException if PostgreSQL reports anything else; the transaction is aborted
     */
    ClaimResult claim(Connection connection, ClaimRequest request);

    /**
     * Completes a claim.
     *
     * @param connection the one that the claim was granted on, or any for a lease
     * @param completion the response
     * @return {@code false} if the claim is not, or no longer, the one that the fence names
     * @throws DataAccessException if PostgreSQL reports an error
     */
    boolean complete(Connection connection, Completion completion);

    /**
     * Records the failure of an attempt whose claim was rolled back. A success, a final failure and the running claim of
     * another attempt are never touched.
     *
     * @param connection with an open transaction of its own
     * @param record which attempt failed, and how
     * @return {@code false} if another attempt was there first
     */
    boolean recordFailure(Connection connection, FailureRecord record);

    /**
     * Returns whether this instance has lately completed or found the request. A guess from memory: the completion may have been
     * rolled back, and the row deleted.
     *
     * @param id the primary key that stands for the intent
     * @return whether {@link #findAnswered} is worth a round trip
     */
    default boolean isProbablyAnswered(UUID id) {
        return false;
    }

    /**
     * Finds what a request gets that is settled already, in one round trip and without a lock.
     *
     * @param connection one without an open transaction
     * @param request what would be claimed
     * @return empty if the key has to be claimed
     * @throws DataAccessException if PostgreSQL reports an error, or the wait limit of the request is over
     */
    default Optional<ClaimResult> findAnswered(Connection connection, ClaimRequest request) {
        return Optional.empty();
    }

    /**
     * Returns whether the last claim found the work of an earlier attempt of the same call, whose COMMIT was not answered.
     * The result of that attempt is the result of the call then, because none is stored.
     *
     * @return {@code false} where results are stored
     */
    default boolean isHandledByEarlierAttempt() {
        return false;
    }

    /**
     * Whether failures are recorded that are not final, even if the application does not want that for its calls.
     *
     * @return {@code false} unless failures are counted always
     */
    default boolean recordsEveryFailure() {
        return false;
    }

    /**
     * The failure of an attempt whose claim was rolled back.
     *
     * @param id the primary key that stands for the intent
     * @param intent whose attempt failed
     * @param fingerprint of its payload
     * @param attempt the number of the attempt
     * @param retention how long the record is kept, from now
     * @param failure how it failed
     */
    record FailureRecord(
            UUID id, Intent intent, Fingerprint fingerprint, int attempt, Duration retention, Failure failure) {}
}
