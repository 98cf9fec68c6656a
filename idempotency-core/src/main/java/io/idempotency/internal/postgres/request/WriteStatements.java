package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.KeyedWrite.ExpectedRows;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/**
 * The statements of writes. The finished row is inserted first: if the key has one, the insert fails, and PostgreSQL skips what follows
 * in the same message.
 */
final class WriteStatements {

    private final String storeWritten;

    private final RequestColumns.Insert insertFinished;

    private final String claimedBy;

    WriteStatements(Schema schema, RequestColumns.Insert insertFinished, String claimedBy) {
        this.storeWritten = schema.resolve(RequestSql.STORE_WRITTEN);
        this.insertFinished = insertFinished;
        this.claimedBy = claimedBy;
    }

    @Nullable String executeAndCommit(
            Connection connection, ClaimRequest request, Completion completion, KeyedWrite write, long maxRowBytes) {
        String sql = sqlOf(write);
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            StatementParameters parameters = statements.parameters();
            insertFinished.bind(parameters, request, completion, claimedBy);
            for (KeyedWrite.Statement statement : write.statements()) {
                parameters.values(statement.values());
                if (statement.expected() != null) {
                    parameters.bigint(statement.expected().rows());
                }
            }
            if (write.returnsRow()) {
                parameters.bigint(maxRowBytes);
                RequestColumns.bindId(parameters, request.id(), request.intent().caller());
            }
            if (write.returnsRow()) {
                return statements.lastText();
            }
            statements.execute();
            return null;
        } catch (SQLException failure) {
            throw SqlFailures.translate("make the write of the " + request.intent(), sql, failure);
        }
    }

    private String sqlOf(KeyedWrite write) {
        StringBuilder sql = new StringBuilder(insertFinished.sql());
        for (int i = 0; i < write.statements().size(); i++) {
            KeyedWrite.Statement statement = write.statements().get(i);
            sql.append("\n;");
            if (write.isResponse(i)) {
                sql.append("with written as (").append(statement.sql()).append(storeWritten);
            } else if (statement.expected() != null) {
                sql.append(RequestSql.expectingRows(statement.sql()));
            } else {
                sql.append(statement.sql());
            }
        }
        return sql.append(MultiStatement.COMMIT).toString();
    }

    @Nullable String execute(Connection connection, KeyedWrite write, int timeoutSeconds) {
        String row = null;
        for (int i = 0; i < write.statements().size(); i++) {
            KeyedWrite.Statement statement = write.statements().get(i);
            String sql = write.isResponse(i) ? RequestSql.rowAsJson(statement.sql()) : statement.sql();
            try (PreparedStatement prepared = connection.prepareStatement(sql)) {
                prepared.setQueryTimeout(timeoutSeconds);
                new StatementParameters(prepared).values(statement.values());
                prepared.execute();
                if (write.isResponse(i)) {
                    row = onlyRow(prepared.getResultSet());
                } else {
                    requireExpected(statement.expected(), prepared.getUpdateCount());
                }
            } catch (SQLException failure) {
                throw SqlFailures.translate("execute a statement of a write", sql, failure);
            }
        }
        return row;
    }

    private static String onlyRow(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new IncorrectResultSizeDataAccessException(1, 0);
        }
        String row = rows.getString(1);
        if (rows.next()) {
            throw new IncorrectResultSizeDataAccessException(1);
        }
        return row;
    }

    private static void requireExpected(@Nullable ExpectedRows expected, int changed) {
        if (expected != null && changed < 0) {
            throw new InvalidDataAccessApiUsageException(
                    "A statement that returns rows cannot have expectRows: remove its RETURNING clause");
        }
        if (expected != null && expected.rows() != changed) {
            throw expected.failure().apply(changed);
        }
    }
}
