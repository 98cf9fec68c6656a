package io.idempotency.boot.interleaving;

import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** The calls of the actors: each makes one row, and returns what is in it. */
class Shop {

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

    private Receipt makeEffect(String key, long cents) {
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        jdbc.update("insert into purchase (key, id, cents) values (?, ?, ?)", key, receipt.id(), cents);
        return receipt;
    }

    record Receipt(UUID id, long cents) {}
}
