package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Where keys are claimed. Internal: its shape follows from what is fast and may change.
 *
 * <p>A request moves through these states. Without a lease each arrow is part of the method's transaction, but for the
 * failures, which are recorded after its rollback; with one, each is a transaction of its own or of the method.
 *
 * <pre>
 *   (no row)          --claim--------------------&gt; PROCESSING
 *   (no row)          --claim, complete at once--&gt; SUCCEEDED
 *   PROCESSING        --complete-----------------&gt; SUCCEEDED
 *   PROCESSING        --fail, with a lease-------&gt; FAILED_RETRYABLE or FAILED_FINAL
 *   (no row)          --record a failure---------&gt; FAILED_RETRYABLE or FAILED_FINAL
 *   FAILED_RETRYABLE  --claim again--------------&gt; PROCESSING, attempt + 1
 *   PROCESSING        --lease expired, claim-----&gt; PROCESSING, attempt + 1
 *   any but PROCESSING --purge-------------------&gt; (no row)
 * </pre>
 *
 * <p>PROCESSING without a lease is seen by nobody but its own transaction, unless the method committed by itself.
 */
public interface ClaimStore extends KeyClaimer {

    /**
     * Prepares the completion of a claim without a lease that is written together with the COMMIT. Nothing is sent yet.
     *
     * @param connection the one that the claim was granted on
     * @param completion the response
     * @return what sends both; to be closed before the connection is
     */
    CompletingCommit completingCommit(Connection connection, Completion completion);

    /**
     * Turns a lease into a failure.
     *
     * @param connection with an open transaction
     * @param fence which claim failed
     * @param failure how
     * @return {@code false} if the claim is not, or no longer, the one that the fence names
     */
    boolean fail(Connection connection, Fence fence, Failure failure);

    /**
     * Holds a lease for longer.
     *
     * @param connection with an open transaction
     * @param fence which claim holds it
     * @param duration from now
     * @return {@code false} if the claim is not, or no longer, the one that the fence names
     */
    boolean extendLease(Connection connection, Fence fence, Duration duration);

    /**
     * Looks at a request after every transaction that is changing it has ended; waits for them, but not for long.
     *
     * @param connection with an open transaction
     * @param id the primary key that stands for the intent
     * @return the request, locked; empty if there is none
     */
    Optional<StoredRequest> findSettled(Connection connection, UUID id);

    /**
     * The state of the transaction, as the driver knows it without asking the server.
     *
     * @param connection the one that the claim was granted on
     * @return whether it can commit
     */
    TransactionState transactionState(Connection connection);

    /** The state of a transaction. */
    enum TransactionState {

        /** Statements and the commit can follow. */
        OPEN,

        /** The same, and a key was claimed, or found taken, in this transaction and not in an earlier one of the connection. */
        CLAIMED,

        /** A statement failed: PostgreSQL turns the commit into a rollback. */
        ABORTED,

        /** The transaction was ended by its own statements. */
        ENDED
    }
}
