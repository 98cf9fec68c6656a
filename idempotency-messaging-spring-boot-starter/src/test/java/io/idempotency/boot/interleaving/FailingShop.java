package io.idempotency.boot.interleaving;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.RecordedFailureException;
import io.idempotency.boot.interleaving.Shop.Receipt;

/** Calls that make their row, and then end in a way that is no part of their payload. */
class FailingShop {

    /** The callers whose method has failed, with their keys. */
    private static final Set<String> failed = ConcurrentHashMap.newKeySet();

    /** The highest attempt that was made, by its key. */
    private static final Map<String, Integer> highest = new ConcurrentHashMap<>();

    private final JdbcTemplate jdbc;

    FailingShop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(
            scope = "failing",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "10s",
            finalFailures = RefusedException.class)
    public Receipt transactional(String key, End end) {
        int attempt = IdempotencyContext.current().attempt();
        if (attempt < highest.merge(key, attempt, Math::max)) {
            throw new IllegalStateException("Later attempts were recorded than " + attempt);
        }
        return buy(key, end);
    }

    @Transactional
    @Idempotent(
            scope = "failing-leased",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h",
            finalFailures = RefusedException.class)
    public Receipt leased(String key, End end) {
        return buy(key, end);
    }

    @Idempotent(
            scope = "failing-steps",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "2s",
            mode = IdempotencyMode.LEASED,
            lease = "1h",
            finalFailures = RefusedException.class)
    public Receipt withStep(String key, End end) {
        return IdempotencyContext.current().stepInTransaction("buy", Receipt.class, () -> buy(key, end));
    }

    private Receipt buy(String key, End end) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        Receipt receipt = Shop.insert(jdbc, key, 5);
        Actor actor = Actor.current();
        if (end != End.SUCCEEDS && actor != null && !failed.add(key + " " + actor.name())) {
            throw new IllegalStateException("The method has failed before, and that decides");
        }
        return switch (end) {
            case SUCCEEDS -> receipt;
            case FAILS -> throw new FailedException();
            case FAILS_FOR_GOOD -> throw new RefusedException();
        };
    }

    /** Returns the answer of a call: its failure for good is the same for all callers. After a fault it may not be recorded. */
    static Object answerOf(Supplier<Object> call) {
        try {
            return call.get();
        } catch (RefusedException refused) {
            Actor actor = Actor.current();
            if (actor != null && !actor.faults().isEmpty()) {
                throw refused;
            }
            return new Refusal(RefusedException.class.getName(), refused.getMessage());
        } catch (RecordedFailureException recorded) {
            return new Refusal(recorded.code(), recorded.recordedMessage());
        }
    }

    enum End {
        SUCCEEDS,
        FAILS,
        FAILS_FOR_GOOD
    }

    record Refusal(String code, String message) {}

    static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        RefusedException() {
            super("refused by " + UUID.randomUUID());
        }
    }
}
