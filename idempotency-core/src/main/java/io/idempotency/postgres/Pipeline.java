package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.SQLException;

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
        return new PreparedPipeline(connection.prepareStatement(start == null ? statements : begunStatements), start);
    }
}
