package io.idempotency.boot.interleaving;

import java.time.Duration;

import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.lock.TransactionLocks;

/** Makes a row under a lock, unless there is one. */
class LockedShop {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final JdbcTemplate jdbc;

    private final TransactionLocks locks;

    LockedShop(JdbcTemplate jdbc, TransactionLocks locks) {
        this.jdbc = jdbc;
        this.locks = locks;
    }

    /** Waits for the lock. */
    @Transactional
    public Object waiting(String key) {
        locks.acquire("locked", key, LONGEST_WAIT);
        return findOrInsert(key);
    }

    /** Does nothing if another one has the lock. */
    @Transactional
    public Object trying(String key) {
        return locks.tryAcquire("locked", key) ? findOrInsert(key) : Caller.NO_ANSWER;
    }

    private Receipt findOrInsert(String key) {
        return jdbc
                .query(
                        "select id, cents from purchase where key = ?",
                        DataClassRowMapper.newInstance(Receipt.class),
                        key)
                .stream()
                .findFirst()
                .orElseGet(() -> Shop.insert(jdbc, key, 5));
    }
}
