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
 * Finds the answer to a call that this instance has answered lately, before its transaction begins: one round trip instead of
 * three. If it fails, the call goes the usual way, which decides about failures.
 */
final class RecentReplay {

    private final DataSource dataSource;

    private final CallDefaults defaults;

    RecentReplay(DataSource dataSource, CallDefaults defaults) {
        this.dataSource = dataSource;
        this.defaults = defaults;
    }

    /** Returns what is stored, or nothing if the key has to be claimed. */
    Optional<ClaimResult> find(IdempotentCall call, WaitBudget waitBudget) {
        if (!call.keyClaimer().isProbablyAnswered(call.requestId()) || mayHoldConnection()) {
            return Optional.empty();
        }
        ClaimRequest request = defaults.claimRequest(call, waitBudget.forDatabase(), call.isCompleteWithClaim(), null);
        return waitBudget.spendOn(() -> find(call.keyClaimer(), request));
    }

    /** A thread that waits for a second connection while it holds the first one may wait for ever, as all others do. */
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
