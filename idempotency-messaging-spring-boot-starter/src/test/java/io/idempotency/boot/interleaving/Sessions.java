package io.idempotency.boot.interleaving;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

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

    private final String expectedByDriver;

    /** Takes the state of an unused session. */
    Sessions(BaseConnection unused) throws SQLException {
        this.expected = stateOf(unused);
        this.expectedByDriver = stateByDriver(unused);
    }

    /** Returns the state of the sessions, as far as they stay alive, that differ. */
    List<String> differing(Collection<BaseConnection> connections) {
        return connections.stream()
                .map(this::differenceIfAlive)
                .filter(Objects::nonNull)
                .toList();
    }

    /** A pool closes a connection that has failed on a thread of its own, and a loop of the application may borrow another one meanwhile. */
    private @Nullable String differenceIfAlive(BaseConnection connection) {
        AtomicReference<@Nullable String> state = new AtomicReference<>();
        try {
            await().atMost(Duration.ofSeconds(2))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> {
                        state.set(stateIfAlive(connection));
                        return state.get() == null || expected.equals(state.get());
                    });
            return null;
        } catch (ConditionTimeoutException staysDifferent) {
            return "session state " + state + " instead of " + expected;
        }
    }

    /** Asks no session that is in use, because the query would begin a transaction on it. */
    private @Nullable String stateIfAlive(BaseConnection connection) {
        try {
            if (connection.isClosed()) {
                return null;
            }
            String byDriver = stateByDriver(connection);
            return byDriver.equals(expectedByDriver) ? stateOf(connection) : byDriver;
        } catch (SQLException lost) {
            return null;
        }
    }

    private static String stateByDriver(BaseConnection connection) throws SQLException {
        return connection.getAutoCommit() + " " + connection.isReadOnly() + " "
                + (connection.getTransactionState() == TransactionState.IDLE);
    }

    private static String stateOf(BaseConnection connection) throws SQLException {
        String state = stateByDriver(connection) + " ";
        // The driver keeps it, so that the server plans it once a session.
        try (PreparedStatement statement = connection.prepareStatement(SETTINGS);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return state + rows.getString(1);
        }
    }
}
