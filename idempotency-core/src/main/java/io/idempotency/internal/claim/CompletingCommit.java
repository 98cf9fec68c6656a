package io.idempotency.internal.claim;

import java.sql.SQLException;

/** The prepared completion of a call and the COMMIT of its transaction, which are sent in one round trip. */
public interface CompletingCommit extends AutoCloseable {

    /**
     * Completes the call and commits. If this fails, the transaction may be open, aborted or ended.
     *
     * @return {@code false} if there was no claim to complete, so that nothing was committed
     * @throws SQLException if the driver reports an error; unless PostgreSQL has answered, it may have committed
     */
    boolean send() throws SQLException;

    /** Closes the statement. */
    @Override
    void close();
}
