package io.idempotency.benchmarks;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Claims, fingerprints and responses as a careful engineer would write them for one application: a row for each key, with an
 * expiry and the index that deletes by it, the wait for another call bounded by five seconds.
 */
final class HandWrittenStore {

    static final String TABLE = "request";

    private static final String SCOPE = "payments";

    private static final String DDL = """
            create table request (
                scope text not null,
                key text not null,
                request_hash bytea not null,
                response json,
                created_at timestamptz not null,
                expires_at timestamptz not null,
                primary key (scope, key)
            ) with (fillfactor = 85);
            create index request_expires_at on request (expires_at)""";

    private static final String INSERT = """
            insert into request (scope, key, request_hash, created_at, expires_at)
            values (?, ?, ?, clock_timestamp(), clock_timestamp() + interval '7 days')
            on conflict (scope, key) do nothing""";

    /** One round trip; the application's own statements are not bounded. */
    private static final String CLAIM = """
            set local statement_timeout = '5s';
            %s;
            set local statement_timeout = default""".formatted(INSERT);

    private static final String COMPLETE = "update request set response = ?::json where scope = ? and key = ?";

    private static final String COMMIT = "; commit";

    private static final String INSERT_COMPLETED = """
            insert into request (scope, key, request_hash, response, created_at, expires_at)
            values (?, ?, ?, ?::json, clock_timestamp(), clock_timestamp() + interval '7 days')""";

    private static final String FIND = "select request_hash, response from request where scope = ? and key = ?";

    private final JdbcTemplate jdbc;

    private final JsonMapper mapper;

    HandWrittenStore(JdbcTemplate jdbc, JsonMapper mapper) {
        this.jdbc = jdbc;
        this.mapper = mapper;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute(DDL);
    }

    byte[] fingerprint(Payment payment) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(mapper.writeValueAsBytes(payment));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** Whether the key is new. */
    boolean claim(String key, byte[] fingerprint) {
        Integer inserted = jdbc.execute(CLAIM, (PreparedStatement statement) -> {
            setClaim(statement, key, fingerprint);
            statement.execute();
            statement.getMoreResults();
            return statement.getUpdateCount();
        });
        return Integer.valueOf(1).equals(inserted);
    }

    private static void setClaim(PreparedStatement statement, String key, byte[] fingerprint) throws SQLException {
        statement.setString(1, SCOPE);
        statement.setString(2, key);
        statement.setBytes(3, fingerprint);
    }

    void complete(String key, Receipt receipt) {
        jdbc.update(COMPLETE, mapper.writeValueAsString(receipt), SCOPE, key);
    }

    /** And commits, in the same round trip; the commit that follows finds that there is nothing left to do. */
    void completeAndCommit(String key, Receipt receipt) {
        jdbc.execute(COMPLETE + COMMIT, (PreparedStatement statement) -> {
            statement.setString(1, mapper.writeValueAsString(receipt));
            statement.setString(2, SCOPE);
            statement.setString(3, key);
            return statement.execute();
        });
    }

    /**
     * Inserts the key with its response and commits, in one round trip.
     *
     * @throws org.springframework.dao.DuplicateKeyException if the key is known; the transaction is over then
     */
    void insertAndCommit(String key, byte[] fingerprint, Receipt receipt) {
        jdbc.execute(INSERT_COMPLETED + COMMIT, (PreparedStatement statement) -> {
            setClaim(statement, key, fingerprint);
            statement.setString(4, mapper.writeValueAsString(receipt));
            return statement.execute();
        });
    }

    /** The stored response. */
    Optional<Receipt> find(String key, byte[] fingerprint) {
        return find(FIND, key, fingerprint);
    }

    /** The stored response; empty if the row, which is locked now, has none yet. */
    Optional<Receipt> findForUpdate(String key, byte[] fingerprint) {
        return find(FIND + " for update", key, fingerprint);
    }

    private Optional<Receipt> find(String sql, String key, byte[] fingerprint) {
        List<Stored> found = jdbc.query(
                sql,
                (row, number) -> new Stored(
                        MessageDigest.isEqual(row.getBytes(1), fingerprint), Optional.ofNullable(row.getString(2))),
                SCOPE,
                key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Stored stored = found.get(0);
        if (!stored.ofThisPayload()) {
            throw new IllegalArgumentException("The key " + key + " belongs to another payload");
        }
        return stored.response().map(json -> mapper.readValue(json, Receipt.class));
    }

    /** Copies the row of the prototype. */
    static void grow(JdbcTemplate admin, long from, long to) {
        admin.update("""
                insert into request (scope, key, request_hash, response, created_at, expires_at)
                select scope, md5(? || n), request_hash, response, created_at, expires_at + n * interval '1 millisecond'
                from request, generate_series(?::bigint, ?::bigint - 1) as n
                where key = ?""", Keys.GROWN, from, to, Growing.PROTOTYPE_KEY);
    }

    private record Stored(boolean ofThisPayload, Optional<String> response) {}
}
