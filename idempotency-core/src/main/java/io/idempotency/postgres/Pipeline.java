package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * Statements that are sent together and answered together, with the BEGIN of their transaction if they are its first. The
 * driver by itself would send that as a message of its own, which PostgreSQL answers by itself too: no further round trip, but
 * both sides would be woken twice.
 */
final class Pipeline {

    private final String statements;

    private final String begunStatements;

    Pipeline(String statements) {
        this.statements = statements;
        this.begunStatements = "begin;\n" + statements;
    }

    /** Without the BEGIN, for errors to tell. */
    String sql() {
        return statements;
    }

    PreparedPipeline prepare(Connection connection) throws SQLException {
        TransactionStart start = TransactionStart.of(connection);
        return start == null ? prepareAsTheyAre(connection, null) : prepareBegun(connection, start);
    }

    /**
     * The same for what only reads. If it would be the first in its transaction, that begins after it: nothing is left to be
     * committed where nothing follows, which saves a round trip.
     */
    PreparedPipeline prepareToRead(Connection connection) throws SQLException {
        TransactionStart start = TransactionStart.of(connection);
        return start == null || start.hasImplicitTransactionBlocks()
                ? prepareAsTheyAre(connection, start)
                : prepareBegun(connection, start);
    }

    private PreparedPipeline prepareAsTheyAre(Connection connection, @Nullable TransactionStart start)
            throws SQLException {
        return new PreparedPipeline(connection.prepareStatement(statements), start, false);
    }

    private PreparedPipeline prepareBegun(Connection connection, TransactionStart start) throws SQLException {
        return new PreparedPipeline(connection.prepareStatement(begunStatements), start, true);
    }
}
