package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;

import org.springframework.dao.DataAccessException;

/**
 * Claims and completes the key of a call in its transaction: the {@link ClaimStore} for requests, the inbox for messages.
 */
public interface KeyClaimer {

    /**
     * Claims the key of an intent, or finds why it cannot be claimed. Waits for another transaction that holds the key, at most
     * for the wait limit of the request. The {@link ClaimStore} locks and writes nothing if the key is not
     * granted.
     *
     * @return the result; if it is {@link ClaimResult.Kind#IN_PROGRESS}, the transaction is aborted
     * @throws DataAccessException if PostgreSQL reports anything else; the transaction is aborted
     */
    ClaimResult claim(Connection connection, ClaimRequest request);

    /**
     * Completes a claim.
     *
     * @param connection the connection that the claim was granted on; any connection for a lease
     * @return {@code false} if the claim of the fence does not hold the key any more; the transaction is aborted if that is a lease
     */
    boolean complete(Connection connection, Completion completion);

    /**
     * Records the failure of an attempt whose claim was rolled back, in a transaction of its own. Never changes a success, a final
     * failure or the claim of another attempt.
     *
     * @param connection a connection without auto-commit and without an open transaction
     * @return {@code false} if nothing was recorded, because another attempt has changed the row
     */
    boolean recordFailure(Connection connection, FailureRecord record);

    /**
     * Finds the committed row of a request, in one round trip and without a lock.
     *
     * @param connection a connection without an open transaction
     * @throws DataAccessException if PostgreSQL reports an error, or the wait exceeds the limit of the request
     */
    default Optional<StoredRequest> find(Connection connection, ClaimRequest request) {
        return Optional.empty();
    }

    /**
     * Returns whether the last claim found that an earlier attempt of the same call has committed, though its COMMIT was not
     * answered. The call then returns the result of that attempt, because no result is stored.
     *
     * @return {@code false} if results are stored
     */
    default boolean isHandledByEarlierAttempt() {
        return false;
    }

    /**
     * Returns whether failures that are not final are recorded even if the application has switched that off for its calls.
     *
     * @return {@code true} if every failure is recorded
     */
    default boolean recordsEveryFailure() {
        return false;
    }

    /** The failure of an attempt whose claim was rolled back. */
    record FailureRecord(RequestKey key, int attempt, Duration retention, Failure failure) {}
}
