package io.idempotency.internal.postgres;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.UUID;
import javax.sql.DataSource;

/** One connection with one transaction after the other, in which the functions are called as by a client without Java. */
public final class SqlSession extends OpenConnection<SqlSession> {

    private static final String CLAIM = """
            select *
            from idempotency.idempotency_claim(
                'payments', ?, ?, 'test-worker', lock_seconds => ?)""";

    public SqlSession(DataSource dataSource) throws SQLException {
        this(dataSource.getConnection());
    }

    public SqlSession(Connection connection) throws SQLException {
        super(connection);
    }

    public SqlClaim claim(String key) throws SQLException {
        return claim(key, "payload", null);
    }

    public SqlClaim lease(String key, int seconds) throws SQLException {
        return claim(key, "payload", seconds);
    }

    /** A day of the seven that the key is kept. */
    public SqlClaim claimWithShortLivedResponse(String key) throws SQLException {
        return claim(
                CLAIM.replace("lock_seconds", "response_retention => '1 day', lock_seconds"), key, "payload", null);
    }

    public SqlClaim claim(String key, String payload, Integer lockSeconds) throws SQLException {
        return claim(CLAIM, key, payload, lockSeconds);
    }

    private SqlClaim claim(String sql, String key, String payload, Integer lockSeconds) throws SQLException {
        try (PreparedStatement statement = connection().prepareStatement(sql)) {
            statement.setString(1, key);
            statement.setBytes(2, hash(payload));
            statement.setObject(3, lockSeconds, Types.INTEGER);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new SqlClaim(
                        row.getString("claim_kind"),
                        row.getString("response_body"),
                        row.getString("result_ref_type"),
                        row.getString("result_ref_id"),
                        row.getInt("attempt_count"),
                        row.getObject("claim_token", UUID.class),
                        row.getString("failure_code"),
                        row.getString("failure_message"),
                        row.getObject("locked_until", OffsetDateTime.class));
            }
        }
    }

    /** As {@link Requests} makes it, so that both kinds of callers have one payload. */
    public static byte[] hash(String payload) {
        return Arrays.copyOf(payload.getBytes(StandardCharsets.UTF_8), 32);
    }

    public SqlSession succeed(String key, SqlClaim claim, String body) throws SQLException {
        return execute("select idempotency.idempotency_succeed('payments', '%s', '%s', 'order', '%s', '%s')"
                .formatted(key, claim.token(), key, body));
    }

    public SqlSession fail(String key, SqlClaim claim, boolean retryable) throws SQLException {
        return execute("select idempotency.idempotency_fail('payments', '%s', '%s', %s, 'declined', 'no cover')"
                .formatted(key, claim.token(), retryable));
    }

    /** A call from claim to commit. */
    public SqlClaim call(String key, String body) throws SQLException {
        SqlClaim claim = claim(key);
        if (claim.token() != null) {
            succeed(key, claim, body);
        }
        commit();
        return claim;
    }

    public boolean consume(String messageId) throws SQLException {
        return query("select idempotency.idempotency_consume('%s', '%s')".formatted(Deliveries.CONSUMER, messageId))
                .equals("t");
    }

    /** What a claim gave. */
    public record SqlClaim(
            String kind,
            String body,
            String refType,
            String refId,
            int attempt,
            UUID token,
            String failureCode,
            String failureMessage,
            OffsetDateTime lockedUntil) {}
}
