package io.idempotency.boot.interleaving;

import java.util.UUID;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** The calls of the actors: each makes one row, and returns what is in it. */
class Shop {

    private static final String EXPIRE_LEASE = """
            update idempotency.idempotency_request
            set locked_until = statement_timestamp() - interval '1 second'
            where idempotency_key = ? and status = 'processing' and locked_until > statement_timestamp()""";

    private final JdbcTemplate jdbc;

    Shop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("create table purchase (key text not null, id uuid not null, cents bigint not null)");
        jdbc.execute("create index on purchase (key)");
    }

    @Transactional
    @Idempotent(scope = "transactional", key = "#key", fingerprint = "#cents", waitTimeout = "10s")
    public Receipt transactional(String key, long cents) {
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

    /** Swallows the failure of its effect, and returns as if there was one. */
    @Transactional
    @Idempotent(scope = "swallowing", key = "#key", fingerprint = "#cents", waitTimeout = "10s")
    public Receipt swallowing(String key, long cents) {
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        try {
            insert(key, receipt);
        } catch (DataAccessException swallowed) {
            return receipt;
        }
        return receipt;
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
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        insert(key, receipt);
        return receipt;
    }

    private void insert(String key, Receipt receipt) {
        jdbc.update("insert into purchase (key, id, cents) values (?, ?, ?)", key, receipt.id(), receipt.cents());
    }

    record Receipt(UUID id, long cents) {}
}
