package io.idempotency.internal.execution;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.KeyClaimer;

/**
 * Finds the stored response of a call that this instance has recently answered, before its transaction begins: one round trip
 * instead of three. If the query fails, the call proceeds with a transaction, which reports failures.
 */
final class RecentReplay {

    private final DataSource dataSource;

    private final CallDefaults defaults;

    RecentReplay(DataSource dataSource, CallDefaults defaults) {
        this.dataSource = dataSource;
        this.defaults = defaults;
    }

    /** Returns the stored result; empty if the key has to be claimed. */
    Optional<ClaimResult> find(IdempotentCall call, WaitBudget waitBudget) {
        if (!call.keyClaimer().isProbablyAnswered(call.requestId()) || mayHoldConnection()) {
            return Optional.empty();
        }
        ClaimRequest request = defaults.claimRequest(call, waitBudget.forDatabase(), call.isCompleteWithClaim(), null);
        return waitBudget.spendOn(() -> find(call.keyClaimer(), request));
    }

    /** If threads wait for a second connection while they hold a first one, they may exhaust the pool and wait for ever. */
    private static boolean mayHoldConnection() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.getResourceMap().isEmpty();
    }

    private Optional<ClaimResult> find(KeyClaimer keyClaimer, ClaimRequest request) {
        try (Connection connection = dataSource.getConnection()) {
            try {
                return keyClaimer.findAnswered(connection, request);
            } finally {
                endTransaction(connection);
            }
        } catch (SQLException | DataAccessException failure) {
            return Optional.empty();
        }
    }

    /** Pools may hand out connections without auto-commit. */
    private static void endTransaction(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }
}
