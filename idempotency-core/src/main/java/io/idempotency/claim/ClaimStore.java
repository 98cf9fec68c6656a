package io.idempotency.claim;

import java.sql.Connection;

import org.springframework.dao.DataAccessException;

/**
 * Where keys are claimed. Internal: its shape follows from what is fast and may change.
 *
 * <p>A request moves through these states; each arrow is part of the caller's transaction, and a rollback undoes it:
 *
 * <pre>
 *   (no row) --claim--&gt; PROCESSING --complete--&gt; SUCCEEDED --purge--&gt; (no row)
 *   (no row) --claim, complete at once--&gt; SUCCEEDED
 * </pre>
 *
 * <p>PROCESSING is seen by nobody but its own transaction, unless the method committed by itself.
 */
public interface ClaimStore {

    /**
     * Takes the key of an intent, or finds who has it. Waits for another transaction that holds the key, at most for the
     * limit of the request. Nothing is locked or written if the key is not granted.
     *
     * @param connection with an open transaction, which the claim becomes part of
     * @param request what to claim
     * @return what was found; the transaction is aborted if it is {@link Claim.InProgress}
     * @throws DataAccessException if PostgreSQL reports anything else; the transaction is aborted
     */
    Claim claim(Connection connection, ClaimRequest request);

    /**
     * Completes a claim of the same transaction.
     *
     * @param connection the one that the claim was granted on
     * @param completion the response
     * @throws DataAccessException if PostgreSQL reports an error
     * @throws IllegalStateException if the claim is gone
     */
    void complete(Connection connection, Completion completion);

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

        /** A statement failed: PostgreSQL turns the commit into a rollback. */
        ABORTED,

        /** The transaction was ended by its own statements. */
        ENDED
    }
}
