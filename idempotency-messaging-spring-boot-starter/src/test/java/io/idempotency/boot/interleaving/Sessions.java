package io.idempotency.boot.interleaving;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

import static org.awaitility.Awaitility.await;

/** What must be the same in the sessions of a pool after each call. */
final class Sessions {

    private static final String SETTINGS = """
            select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_timeout', true),
                current_setting('default_transaction_isolation'), current_setting('default_transaction_read_only'),
                current_setting('search_path'), current_setting('application_name'))""";

    private final String expected;

    /** Takes the state of an unused session. */
    Sessions(BaseConnection unused) throws SQLException {
        this.expected = stateOf(unused);
    }

    /** Returns the state of the sessions, as far as they stay alive, that differ. */
    List<String> differing(Collection<BaseConnection> connections) {
        return connections.stream()
                .map(this::differenceIfAlive)
                .filter(Objects::nonNull)
                .toList();
    }

    private @Nullable String differenceIfAlive(BaseConnection connection) {
        String state = stateIfAlive(connection);
        return state == null || state.equals(expected) || isClosedSoon(connection)
                ? null
                : "session state " + state + " instead of " + expected;
    }

    /** A pool closes a connection that has failed on a thread of its own. */
    private static boolean isClosedSoon(BaseConnection connection) {
        try {
            await().atMost(Duration.ofSeconds(1))
                    .pollInterval(Duration.ofMillis(2))
                    .until(connection::isClosed);
            return true;
        } catch (ConditionTimeoutException staysOpen) {
            return false;
        }
    }

    private @Nullable String stateIfAlive(BaseConnection connection) {
        try {
            return connection.isClosed() ? null : stateOf(connection);
        } catch (SQLException lost) {
            return null;
        }
    }

    private static String stateOf(BaseConnection connection) throws SQLException {
        String state = connection.getAutoCommit() + " " + connection.isReadOnly() + " "
                + (connection.getTransactionState() == TransactionState.IDLE) + " ";
        // The driver keeps it, so that the server plans it once a session.
        try (PreparedStatement statement = connection.prepareStatement(SETTINGS);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return state + rows.getString(1);
        }
    }
}
