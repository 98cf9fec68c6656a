package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionSystemException;

/**
 * The store of requests: it claims keys and stores responses.
 *
 * <p>A request moves through these states. Without a lease all changes are part of the method's transaction, except a failure,
 * which is recorded after the rollback. With a lease the claim and a failure are transactions of their own, and the completion
 * is part of the method's transaction if the method declares one.
 *
 * <pre>
 *   (no row)           --claim---------------------&gt; PROCESSING, or SUCCEEDED if it is complete at once
 *   (no row)           --insert finished-----------&gt; SUCCEEDED
 *   PROCESSING         --complete------------------&gt; SUCCEEDED
 *   PROCESSING         --fail, with a lease--------&gt; FAILED_RETRYABLE or FAILED_FINAL
 *   PROCESSING         --give up, with a lease-----&gt; PROCESSING, without a lease
 *   PROCESSING         --revive, given up----------&gt; FAILED_RETRYABLE
 *   PROCESSING         --extend the lease----------&gt; PROCESSING
 *   PROCESSING         --record a step-------------&gt; PROCESSING
 *   (no row)           --record a failure----------&gt; FAILED_RETRYABLE or FAILED_FINAL
 *   FAILED_RETRYABLE   --record a later failure----&gt; FAILED_RETRYABLE or FAILED_FINAL
 *   FAILED_RETRYABLE   --reclaim-------------------&gt; as a claim, with attempt + 1
 *   PROCESSING         --reclaim, lease expired----&gt; PROCESSING, attempt + 1
 *   SUCCEEDED          --purge, response expired---&gt; SUCCEEDED, without its response
 *   any but PROCESSING --purge, expired------------&gt; (no row)
 *   PROCESSING         --purge, lease expired------&gt; (no row)
 * </pre>
 *
 * <p>An operator moves a request whose lease has expired, or that has none, from PROCESSING to FAILED_RETRYABLE or SUCCEEDED, or
 * deletes it: see {@link io.idempotency.IdempotencyAdministration}.
 *
 * <p>Each method takes a connection with an open transaction, unless it says otherwise. One that works in a transaction of its own
 * takes a connection without auto-commit and without an open transaction. If it throws or changes nothing, it may leave an aborted
 * one.
 *
 * <p>Only its own transaction sees a row that is PROCESSING without a lease, unless the method committed by itself or the call was
 * given up.
 */
public interface ClaimStore extends WriteStore, StepStore {

    /**
     * Claims the key of an intent, or finds why it cannot be claimed. Waits for another transaction that holds the key, at most
     * for the wait limit of the request. Locks and writes nothing if the key is not granted.
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
    Optional<StoredRequest> find(Connection connection, ClaimRequest request);

    /**
     * Inserts the row of a call that has claimed nothing before and is finished now. Waits for another transaction that inserts the
     * same row, at most for the wait limit of the request.
     *
     * @throws DataAccessException if the key has a row, the wait ends or PostgreSQL reports any other error; the transaction is
     *     aborted
     */
    void insertFinished(Connection connection, ClaimRequest request, Completion completion);

    /**
     * Inserts that row and commits, in one message.
     *
     * @throws DataAccessException if the driver reports an error, after which the transaction may be open, aborted or ended; unless
     *     PostgreSQL has answered, it may be committed
     */
    void insertFinishedAndCommit(Connection connection, ClaimRequest request, Completion completion);

    /**
     * Claims the key of a leased call in transactions of its own: each message is one, except that a call that may be resumed is
     * scheduled in the transaction of its claim.
     *
     * @param connection a connection without auto-commit and without an open transaction
     * @param beforeReclaim gets the result of a reclaim before the reclaim is sent: if its answer is lost, the row does not tell any more
     *     whether it was failed or expired
     * @throws TransactionSystemException if the claim may be committed, because its COMMIT was not answered or what follows it has
     *     failed
     * @throws DataAccessException if it is not committed
     */
    ClaimResult claimAndCommit(Connection connection, ClaimRequest request, Consumer<ClaimResult> beforeReclaim);

    /**
     * Completes a lease and commits the method's transaction, in one message.
     *
     * @throws DataAccessException if the claim of the fence does not hold the key any more, or the driver reports an error; unless
     *     PostgreSQL has answered, the transaction may be committed
     */
    void completeWithCommit(Connection connection, Completion completion);

    /**
     * Completes a lease in a transaction of its own, in one message.
     *
     * @return {@code false} if the claim of the fence does not hold the key any more
     */
    boolean completeAndCommit(Connection connection, Completion completion);

    /**
     * Records the failure of a leased call and ends its lease, in a transaction of its own.
     *
     * @param resumeAfter time after which the call is due to be resumed; {@code null} if it is not
     * @return {@code false} if the claim of the fence does not hold the key any more
     */
    boolean fail(Connection connection, Fence fence, Failure failure, @Nullable Duration resumeAfter);

    /**
     * Ends the lease of a call that is given up, in a transaction of its own. Its row stays PROCESSING until an operator decides,
     * because nobody knows whether the effect happened.
     *
     * @param reason the failure of the last attempt, which is not final
     * @return {@code false} if the claim of the fence does not hold the key any more
     */
    boolean abandon(Connection connection, Fence fence, Failure reason);

    /**
     * Lets a call that was given up fail in a retryable way, so that its key can be claimed again.
     *
     * @return {@code false} if it is not given up, or not in the attempt of the fence
     */
    boolean revive(Connection connection, Fence fence);

    /**
     * Extends a lease, in a transaction of its own. A lease that lasts longer already is not shortened.
     *
     * @return {@code false} if the claim of the fence does not hold the key any more
     */
    boolean extendLease(Connection connection, Fence fence, Duration duration);

    /** Locks and finds a request. Waits, for a short time, for transactions that are changing it. */
    Optional<StoredRequest> findSettled(Connection connection, Fence fence);

    /** Finds what an open transaction sees of a request, without a lock. */
    Optional<StoredRequest> findWithoutLock(Connection connection, Fence fence);

    /** The failure of an attempt whose claim was rolled back. */
    record FailureRecord(RequestKey key, int attempt, Duration retention, Failure failure) {}
}
