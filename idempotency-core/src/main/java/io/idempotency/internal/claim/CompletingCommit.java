package io.idempotency.internal.claim;

import java.sql.SQLException;

/** The completion of a claim and the COMMIT of its transaction, sent in one round trip. Belongs to one transaction. */
public interface CompletingCommit extends AutoCloseable {

    /**
     * Completes the claim and commits. Where this fails, the transaction may be open still, aborted, or over.
     *
     * @return {@code false} if there was no claim to complete, so that nothing was committed
     * @throws SQLException what the driver reported; unless PostgreSQL answered, it may have committed
     */
    boolean send() throws SQLException;

    /** Gives up what the driver keeps for it, sent or not. */
    @Override
    void close();
}
