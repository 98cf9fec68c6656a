package io.idempotency.boot.interleaving;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.interleaving.Shop.Receipt;

/** Calls whose duplicates wait only briefly, because others may never end. */
class BriefShop {

    private static final String WAIT = "250ms";

    private final JdbcTemplate jdbc;

    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    BriefShop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(scope = "brief", key = "#key", fingerprint = "#cents", waitTimeout = WAIT)
    public Receipt transactional(String key, long cents) {
        return makeEffect(key, cents);
    }

    @Transactional
    @Idempotent(
            scope = "brief-optimistic",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = WAIT,
            mode = IdempotencyMode.OPTIMISTIC)
    public Receipt optimistic(String key, long cents) {
        return makeEffect(key, cents);
    }

    @Transactional
    @Idempotent(
            scope = "brief-leased",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = WAIT,
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public Receipt leased(String key, long cents) {
        return makeEffect(key, cents);
    }

    @Transactional
    @Idempotent(
            scope = "resumed",
            key = "#key",
            fingerprint = "#cents",
            waitTimeout = "300ms",
            mode = IdempotencyMode.LEASED,
            lease = "1h",
            resume = true)
    public Receipt resumed(String key, long cents) {
        if (refused.remove(key)) {
            throw new IllegalStateException("refused once");
        }
        return makeEffect(key, cents);
    }

    /** Lets the next run with this key fail. */
    public void refuseNext(String key) {
        refused.add(key);
    }

    private Receipt makeEffect(String key, long cents) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        Receipt receipt = new Receipt(UUID.randomUUID(), cents);
        jdbc.update("insert into purchase (key, id, cents) values (?, ?, ?)", key, receipt.id(), cents);
        return receipt;
    }
}
