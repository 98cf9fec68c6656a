package io.idempotency.boot.interleaving;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.boot.interleaving.Fault.InjectedException;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.boot.testing.Callbacks;

/** Calls of two steps: each makes one row, and the response is what is in them. */
class Trips {

    private static final Set<String> violations = ConcurrentHashMap.newKeySet();

    private static final Set<String> extended = ConcurrentHashMap.newKeySet();

    private final JdbcTemplate jdbc;

    private final Set<String> runs = ConcurrentHashMap.newKeySet();

    Trips(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** The first step is recorded with its row, and the second one after it. No failure of a step is one of the call. */
    @Idempotent(
            scope = "trips",
            key = "#key",
            fingerprint = "#key",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public List<Receipt> careful(String key) {
        begin(key);
        try {
            return List.of(stepInTransaction(key), step(Shop.otherKey(key)));
        } catch (DataAccessException | TransactionException | IdempotencyException failure) {
            throw new NotBookedException(failure);
        }
    }

    /** Repeats a step whose COMMIT has failed, or has remained in doubt. */
    @Idempotent(
            scope = "repeated-trips",
            key = "#key",
            fingerprint = "#key",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public List<Receipt> repeated(String key) {
        begin(key);
        Receipt first;
        try {
            first = stepInTransaction(key);
        } catch (TransactionException | OutcomeUnknownException failure) {
            first = stepInTransaction(key);
        }
        return List.of(first, step(Shop.otherKey(key)));
    }

    /** Goes on after a step that has failed. */
    @Idempotent(
            scope = "careless-trips",
            key = "#key",
            fingerprint = "#key",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public List<Receipt> careless(String key) {
        begin(key);
        boolean[] hasEnded = {false};
        Receipt first = null;
        try {
            first = IdempotencyContext.current().step("first", Receipt.class, () -> {
                Receipt receipt = Shop.insert(jdbc, key, 5);
                hasEnded[0] = true;
                return receipt;
            });
        } catch (InjectedException failure) {
            if (!hasEnded[0]) {
                throw failure;
            }
        }
        boolean isUnrecorded = first == null;
        Receipt second = IdempotencyContext.current().step("second", Receipt.class, () -> {
            if (isUnrecorded) {
                violations.add(key + ": a step was run after one that could not be recorded");
            }
            return Shop.insert(jdbc, Shop.otherKey(key), 5);
        });
        if (first == null) {
            throw new NotBookedException(null);
        }
        return List.of(first, second);
    }

    /** Swallows, while a step is being committed, the failure of a statement. */
    @Idempotent(
            scope = "swallowing-trips",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public List<Receipt> swallowing(String key, boolean swallows) {
        begin(key);
        Receipt first = IdempotencyContext.current().stepInTransaction("first", Receipt.class, () -> {
            if (swallows) {
                Callbacks.beforeCommit(() -> TroubledShop.swallow(() -> jdbc.execute("select 1 / 0")));
            }
            return Shop.insert(jdbc, key, 5);
        });
        return List.of(first, step(Shop.otherKey(key)));
    }

    /** Extends its lease: nobody takes it over from then on, even if it had expired before, until it expires again. */
    @Idempotent(
            scope = "extending-trips",
            key = "#key",
            fingerprint = "#key",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public List<Receipt> extending(String key) {
        begin(key);
        if (extended.contains(key)) {
            violations.add(key + ": a lease was taken over that had been extended");
        }
        IdempotencyContext.current().extendLease(Duration.ofHours(1));
        extended.add(key);
        try {
            return List.of(stepInTransaction(key), stepInTransaction(Shop.otherKey(key)));
        } finally {
            extended.remove(key);
        }
    }

    /** Lets the lease expire that is held then. */
    public void expireLease(String key) {
        jdbc.update(Intervention.EXPIRE_LEASE, key, key);
        extended.remove(key);
    }

    private void begin(String key) {
        int attempt = IdempotencyContext.current().attempt();
        Actor.runsAttempt(attempt);
        if (!runs.add(key + " " + attempt)) {
            violations.add(key + ": attempt " + attempt + " was run twice");
        }
    }

    private Receipt stepInTransaction(String key) {
        return IdempotencyContext.current()
                .stepInTransaction("buy " + key, Receipt.class, () -> Shop.insert(jdbc, key, 5));
    }

    private Receipt step(String key) {
        return IdempotencyContext.current().step("pay " + key, Receipt.class, () -> Shop.insert(jdbc, key, 5));
    }

    /** Returns what a method has seen that must not happen. */
    static List<String> violations(String key) {
        return violations.stream()
                .filter(violation -> violation.startsWith(key + ":"))
                .toList();
    }

    /** The failure of a trip, which binds nobody. */
    static final class NotBookedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        NotBookedException(@Nullable Throwable cause) {
            super("not booked", cause);
        }
    }
}
