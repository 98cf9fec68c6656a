package io.idempotency.benchmarks.call;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/**
 * Claims, fingerprints, responses and results of steps as a careful engineer writes them for one application: a row for each
 * key, with an expiry and the index that deletes by it, and a wait for another call that is bounded by five seconds.
 */
class HandWrittenStore {

    static final String DDL = """
        create table request (
            scope text not null,
            key text not null,
            request_hash bytea not null,
            response json,
            created_at timestamptz not null,
            expires_at timestamptz not null,
            primary key (scope, key)
        ) with (fillfactor = 85);
        create index request_expires_at on request (expires_at);
        create table step_result (
            request_key text,
            name text,
            result json not null,
            primary key (request_key, name)
        );
        """;

    private static final String SCOPE = "payments";

    /** One round trip, which leaves the application's own statements without a bound. */
    private static final String CLAIM = """
        set local statement_timeout = '5s';
        insert into request (scope, key, request_hash, created_at, expires_at)
        values (?, ?, ?, clock_timestamp(), clock_timestamp() + interval '7 days')
        on conflict (scope, key) do nothing;
        set local statement_timeout = default\
        """;

    private static final String COMPLETE = "update request set response = ?::json where scope = ? and key = ?";

    private static final String INSERT_COMPLETED = """
        insert into request (scope, key, request_hash, response, created_at, expires_at)
        values (?, ?, ?, ?::json, clock_timestamp(), clock_timestamp() + interval '7 days')\
        """;

    private static final String COMMIT = "; commit";

    private static final String INSERT_STEP =
            "insert into step_result (request_key, name, result) values (?, ?, ?::json)";

    private static final String FIND = "select request_hash, response from request where scope = ? and key = ?";

    private final JdbcTemplate jdbc;

    private final JsonMapper mapper;

    HandWrittenStore(JdbcTemplate jdbc, JsonMapper mapper) {
        this.jdbc = jdbc;
        this.mapper = mapper;
    }

    byte[] fingerprint(Payment payment) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(mapper.writeValueAsBytes(payment));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** Returns whether the key is new. */
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

    void insertStep(String key, String name, String result) {
        jdbc.update(INSERT_STEP, key, name, mapper.writeValueAsString(result));
    }

    /**
     * Returns the stored response of a key.
     *
     * @throws IllegalArgumentException if the key belongs to another payload
     */
    Optional<Receipt> find(String key, byte[] fingerprint) {
        List<Stored> found = jdbc.query(
                FIND,
                (row, number) -> new Stored(MessageDigest.isEqual(row.getBytes(1), fingerprint), row.getString(2)),
                SCOPE,
                key);
        return found.stream().findFirst().map(stored -> {
            if (!stored.samePayload()) {
                throw new IllegalArgumentException("The key " + key + " belongs to another payload");
            }
            return mapper.readValue(stored.response(), Receipt.class);
        });
    }

    private record Stored(boolean samePayload, String response) {}
}
