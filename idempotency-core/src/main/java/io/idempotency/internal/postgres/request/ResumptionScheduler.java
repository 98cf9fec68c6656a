package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.SQLException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/**
 * Schedules that a leased call is resumed if its caller has gone. The store of requests tells it of each change of a request that may be
 * resumed, in the transaction of that change. A claim schedules, under the token of its lease; the other statements do nothing under
 * another token, because another claim has scheduled since. Core has no implementation.
 */
public interface ResumptionScheduler {

    /**
     * Schedules a call for the end of its lease, or for the end of the pause after it. This replaces what an earlier claim of the
     * key has scheduled.
     *
     * @param commits whether the message ends with the COMMIT of the claim
     * @throws SQLException if PostgreSQL reports an error or the wait ends
     */
    void schedule(Connection connection, ClaimRequest request, WaitBound bound, boolean commits) throws SQLException;

    /**
     * Returns the statement that follows a completion. Its parameters are the request id and the token.
     *
     * @return a statement with the placeholder of the schema
     */
    String cancellation();

    /**
     * Returns the statement that follows a failure. Its parameters are the status of the message, the error, a number of milliseconds,
     * and those of {@link #cancellation()}. The status is {@code pending} if another attempt follows after the milliseconds, {@code dead}
     * if the call is given up, and {@code sent} if an operator may let it be resumed for as many milliseconds.
     *
     * @return a statement with the placeholder of the schema
     */
    String failure();

    /**
     * Returns the statement that follows a release by an operator, if the call can be resumed. Its parameters are a new token and
     * the request id.
     *
     * @return a statement with the placeholder of the schema, which changes one row if the call is resumed
     */
    String release();

    /**
     * Returns the statement that follows the decision of an operator that the call is not made. Its parameter is the request id.
     *
     * @return a statement with the placeholder of the schema
     */
    String removal();
}
