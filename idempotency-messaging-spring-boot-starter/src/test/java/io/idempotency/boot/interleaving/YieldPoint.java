package io.idempotency.boot.interleaving;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A place where an actor stops before something reaches the server.
 *
 * @param kind what is about to reach the server
 * @param label names it in a printed schedule
 * @param connection that it goes to
 * @param footprint what it leaves for others
 */
record YieldPoint(Kind kind, String label, Connection connection, Footprint footprint) {

    private static final Pattern VERB_AND_TABLE = Pattern.compile(
            "\\b(insert into|update|delete from|merge into|call)\\s+([\\w.\"]+)", Pattern.CASE_INSENSITIVE);

    /** The driver commits what is open if auto-commit is switched on. */
    static final String COMMIT_OF_CLEAN_UP = "COMMIT of setAutoCommit";

    private static final int LABEL_LENGTH = 50;

    /** The labels by statement. The application has few statements, and runs each of them many times. */
    private static final Map<String, String> labels = new ConcurrentHashMap<>();

    private static final Map<Text, Footprint> footprints = new ConcurrentHashMap<>();

    enum Kind {
        STATEMENT,
        COMMIT,
        ROLLBACK,

        /** Concerns the own session alone, so that its order among the steps of the others does not matter. */
        SESSION
    }

    YieldPoint(Kind kind, String label, Connection connection) {
        this(kind, label, connection, footprintOf(kind));
    }

    private static Footprint footprintOf(Kind kind) {
        return switch (kind) {
            case SESSION -> Footprint.LOCAL;
            case COMMIT -> Footprint.COMMIT;
            case ROLLBACK -> Footprint.UNDO;
            case STATEMENT -> Footprint.UNKNOWN;
        };
    }

    boolean isInTransaction() {
        try {
            return driver().getTransactionState() != TransactionState.IDLE;
        } catch (SQLException closed) {
            return false;
        }
    }

    static YieldPoint statement(String sql, Connection connection) throws SQLException {
        boolean isFirst = connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
        Footprint footprint = footprints.computeIfAbsent(
                new Text(sql, isFirst, connection.getAutoCommit()),
                text -> Footprint.of(text.sql, text.isFirst, text.isAlone));
        return new YieldPoint(Kind.STATEMENT, labels.computeIfAbsent(sql, YieldPoint::labelOf), connection, footprint);
    }

    private static String labelOf(String sql) {
        Matcher matcher = VERB_AND_TABLE.matcher(sql);
        String label = matcher.find()
                ? matcher.group()
                : sql.strip().substring(0, Math.min(LABEL_LENGTH, sql.strip().length()));
        return label.replaceAll("\\s+", " ");
    }

    int pid() {
        try {
            return driver().getBackendPID();
        } catch (SQLException closed) {
            return 0;
        }
    }

    BaseConnection driver() throws SQLException {
        return connection.unwrap(BaseConnection.class);
    }

    /** A statement where it is executed. */
    private record Text(String sql, boolean isFirst, boolean isAlone) {}
}
