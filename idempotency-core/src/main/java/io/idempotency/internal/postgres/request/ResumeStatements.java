package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/** The statements that find calls to resume, and postpone them. */
final class ResumeStatements {

    private final String find;

    private final String postpone;

    private final String hasOthers;

    ResumeStatements(Schema schema) {
        this.find = schema.resolve(RequestSql.FIND_DUE_CALLS);
        this.postpone = schema.resolve(RequestSql.POSTPONE);
        this.hasOthers = schema.resolve(RequestSql.HAS_OTHER_DUE_CALLS);
    }

    List<DueCall> find(Connection connection, Collection<String> scopes, int limit) {
        try (PreparedStatement statement = connection.prepareStatement(find)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.texts(scopes);
            parameters.integer(limit);
            List<DueCall> calls = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    calls.add(map(rows));
                }
            }
            return calls;
        } catch (SQLException failure) {
            throw SqlFailures.translate("find calls to resume", find, failure);
        }
    }

    boolean postpone(Connection connection, DueCall call, Duration pause) {
        return MultiStatement.updateOne(connection, "postpone a call", postpone, parameters -> {
            parameters.duration(pause);
            RequestColumns.bindId(
                    parameters, RequestKey.idOf(call.intent()), call.intent().caller());
            parameters.integer(call.attempt());
        });
    }

    /** Returns an argument that cannot be read for an element that is no text, because one row must not hide all others. */
    private static List<String> argumentsOf(Object[] elements) {
        return Stream.of(elements)
                .map(element -> element instanceof String text ? text : "")
                .toList();
    }

    boolean hasOthers(Connection connection, Collection<String> scopes) {
        try (PreparedStatement statement = connection.prepareStatement(hasOthers)) {
            new StatementParameters(statement).texts(scopes);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find other calls to resume", hasOthers, failure);
        }
    }

    private static DueCall map(ResultSet row) throws SQLException {
        return new DueCall(
                IntentColumns.readAny(row),
                new Fingerprint(row.getInt("hash_version"), row.getBytes("request_hash")),
                argumentsOf((Object[]) row.getArray("arguments").getArray()),
                row.getInt("attempt_count"),
                row.getInt("resume_count"),
                RequestColumns.statusOf(row.getString("status")) == RequestStatus.PROCESSING);
    }
}
