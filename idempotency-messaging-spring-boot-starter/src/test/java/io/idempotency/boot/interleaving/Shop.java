package io.idempotency.boot.interleaving;

import java.util.Map;
import java.util.UUID;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;

/** The calls of the actors: each makes one row, and returns what is in it. */
class Shop {

    private static final String EXPIRE_LEASE = """
            update idempotency.idempotency_request
            set locked_until = statement_timestamp() - interval '1 second'
            where idempotency_key = ? and status = 'processing' and locked_until > statement_timestamp()""";

    private final JdbcTemplate jdbc;

    private final IdempotencyOperations operations;

    Shop(JdbcTemplate jdbc, IdempotencyOperations operations) {
        this.jdbc = jdbc;
        this.operations = operations;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("create table purchase (key text not null, id uuid not null, cents bigint not null)");
        jdbc.execute("create index on purchase (key)");
    }

    /** Returns the key of what belongs to the same intent. */
    static String otherKey(String key) {
        return key + "/other";
    }

    @Transactional
    @Idempotent(scope = "transactional", key = "#key", fingerprint = "#cents", waitTimeout = "10s")
    public Receipt transactional(String key, long cents) {
        return makeEffect(key, cents);
    }

    /** Its transaction is that of the library. */
    @Idempotent(scope = "unrepeated", key = "#key", fingerprint = "#cents", waitTimeout = "10s", maxAttempts = 1)
    public Receipt unrepeated(String key, long cents) {
        return makeEffect(key, cents);
    }

    /** Does not join a transaction of its caller. */
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @Idempotent(scope = "independent", key = "#key", fingerprint = "#cents", waitTimeout = "10s")
    public Receipt independent(String key, long cents) {
        return makeEffect(key, cents);
    }

    @Transactional
    @Idempotent(
            scope = "optimistic",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = "10s",
            mode = IdempotencyMode.OPTIMISTIC)
    public Receipt optimistic(String key, long cents) {
        return makeEffect(key, cents);
    }

    /** Without a guard: reads, and then writes if there was nothing. */
    @Transactional
    public Receipt unguarded(String key, long cents) {
        return jdbc
                .query(
                        "select id, cents from purchase where key = ?",
                        DataClassRowMapper.newInstance(Receipt.class),
                        key)
                .stream()
                .findFirst()
                .orElseGet(() -> insert(jdbc, key, cents));
    }

    /** Its effect, its response and the COMMIT are one message, as long as nothing is in its way. */
    Receipt write(String key, long cents) {
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        return operations
                .write("writes", key, cents)
                .statement(
                        "insert into purchase (key, id, cents) values (:key, :id, :cents)",
                        Map.of("key", key, "id", receipt.id(), "cents", cents))
                .respond(Receipt.class, receipt);
    }

    /** Swallows the failure of its effect. Its row is complete with the claim, so that no later statement fails. */
    @Transactional
    @Idempotent(scope = "swallowing", key = "#key", fingerprint = "#cents", waitTimeout = "10s")
    public void swallowing(String key, long cents) {
        try {
            makeEffect(key, cents);
        } catch (DataAccessException swallowed) {
            return;
        }
    }

    /** Its effect and its completion are one transaction. */
    @Transactional
    @Idempotent(
            scope = "leased",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public Receipt leased(String key, long cents) {
        return makeEffect(key, cents);
    }

    /** Its effect and the record of its step are one transaction, and its completion another one. */
    @Idempotent(
            scope = "steps",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public Receipt withStep(String key, long cents) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        return IdempotencyContext.current().stepInTransaction("buy", Receipt.class, () -> makeEffect(key, cents));
    }

    /** As if the time of a lease were over. */
    public void expireLease(String key) {
        jdbc.update(EXPIRE_LEASE, key);
    }

    private Receipt makeEffect(String key, long cents) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        return insert(jdbc, key, cents);
    }

    static Receipt insert(JdbcTemplate jdbc, String key, long cents) {
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        jdbc.update("insert into purchase (key, id, cents) values (?, ?, ?)", key, receipt.id(), cents);
        return receipt;
    }

    record Receipt(UUID id, long cents) {}
}
