package io.idempotency.internal.call.attempt;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.TransactionException;

import io.idempotency.RequestStatus;
import io.idempotency.internal.call.wait.WaitBudget;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.PendingInterruption;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * The stored answers, which calls ask for outside of their transactions. If this instance has recently answered for the key, its
 * response is found before the transaction begins: one round trip instead of three. If the query fails, the call proceeds with a transaction,
 * which reports failures.
 */
public final class StoredAnswers {

    private final DataSource dataSource;

    private final RequiresNewTransaction transactions;

    private final ClaimStore store;

    /** Requests that had an answer when a call of this instance ended. It may have been rolled back, deleted or be in another database. */
    private final RecentIds answered = new RecentIds();

    public StoredAnswers(DataSource dataSource, RequiresNewTransaction transactions, ClaimStore store) {
        this.dataSource = dataSource;
        this.transactions = transactions;
        this.store = store;
    }

    /** Returns the stored result of a call that this instance has recently answered; empty if the key has to be claimed. */
    public Optional<ClaimResult> findRecent(IdempotentCall call, WaitBudget waitBudget) {
        UUID id = call.key().id();
        if (!answered.contains(id) || RequiresNewTransaction.mayHoldConnection()) {
            return Optional.empty();
        }
        answered.add(id);
        ClaimRequest request = call.claimRequest(waitBudget.forDatabase(), call.isCompleteWithClaim(), null);
        try {
            // A request in processing has to be waited for.
            return waitBudget
                    .spendOn(() -> findRow(request))
                    .filter(stored -> stored.status() != RequestStatus.PROCESSING)
                    .map(stored -> stored.answerTo(request));
        } catch (DataAccessException failure) {
            return Optional.empty();
        }
    }

    /** Notes that a key has an answer. */
    public void answered(IdempotentCall call) {
        answered.add(call.key().id());
    }

    /**
     * Returns whether it is certain that no committed row has the key. It is asked where writes go: in a transaction and with a lock,
     * because a statement outside of transactions, or one that only reads, may be sent to a replica that lags behind.
     */
    boolean isNew(IdempotentCall call) {
        if (RequiresNewTransaction.mayHoldConnection()) {
            return false;
        }
        PendingInterruption interruption = new PendingInterruption();
        interruption.save();
        try {
            Fence fence = new Fence(call.key(), 1, null);
            return transactions.callAndKeepIf(
                    connection -> store.findSettled(connection, fence).isEmpty(), isNew -> false);
        } catch (DataAccessException | TransactionException failure) {
            return false;
        } finally {
            interruption.restore();
        }
    }

    private Optional<StoredRequest> findRow(ClaimRequest request) {
        try (Connection connection = dataSource.getConnection()) {
            try {
                return store.find(connection, request);
            } finally {
                endTransaction(connection);
            }
        } catch (SQLException failure) {
            throw new DataAccessResourceFailureException("The database could not be asked for a key", failure);
        }
    }

    /** Pools may hand out connections without auto-commit. */
    private static void endTransaction(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /**
     * A lossy set of 16,384 ids in 128 KiB. An id belongs to one of many small sets, which keep the latest ones. Not synchronized: threads
     * that change one set at the same time may lose ids.
     */
    private static final class RecentIds {

        private static final int SETS = 1 << 12;

        private static final int SIZE_OF_SET = 4;

        /** Half of each id, because an id that is not in the set is only asked for in vain. Ids are hashes, so any bits will do. */
        private final long[] ids = new long[SETS * SIZE_OF_SET];

        boolean contains(UUID id) {
            int first = firstOf(id);
            for (int i = first; i < first + SIZE_OF_SET; i++) {
                if (ids[i] == id.getLeastSignificantBits()) {
                    return true;
                }
            }
            return false;
        }

        /** Adds the id as the latest one, or makes it the latest one. */
        void add(UUID id) {
            long added = id.getLeastSignificantBits();
            long moved = added;
            int first = firstOf(id);
            for (int i = first; i < first + SIZE_OF_SET; i++) {
                long displaced = ids[i];
                ids[i] = moved;
                if (displaced == added) {
                    return;
                }
                moved = displaced;
            }
        }

        private static int firstOf(UUID id) {
            return ((int) id.getMostSignificantBits() & (SETS - 1)) * SIZE_OF_SET;
        }
    }
}
