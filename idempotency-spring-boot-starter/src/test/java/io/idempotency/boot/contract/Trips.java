package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.Callbacks;

/** Trips of five steps, each with a row for every time that its effect was made, and the points where a process may be killed. */
class Trips {

    static final String COMPLETED = "COMPLETED";

    private static final String CLAIMED = "CLAIMED";

    /** In the order in which a trip reaches them. */
    static final List<String> POINTS = Stream.of(
                    Stream.of(CLAIMED), Stream.of(Step.values()).flatMap(Step::points), Stream.of(COMPLETED))
            .flatMap(points -> points)
            .toList();

    private static final String SEPARATOR = "@";

    private final JdbcTemplate jdbc;

    private final Map<String, Runnable> actions = new ConcurrentHashMap<>();

    Trips(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Those in a transaction have another point: their record is written and not committed. */
    enum Step {
        RESERVE,
        BOOK_IN_TRANSACTION,
        CHARGE,
        INVOICE_IN_TRANSACTION,
        THANK;

        boolean isInTransaction() {
            return name().endsWith("_IN_TRANSACTION");
        }

        String begun() {
            return this + "_BEGUN";
        }

        String done() {
            return this + "_DONE";
        }

        String written() {
            return this + "_WRITTEN";
        }

        String recorded() {
            return this + "_RECORDED";
        }

        private Stream<String> points() {
            return isInTransaction()
                    ? Stream.of(begun(), done(), written(), recorded())
                    : Stream.of(begun(), done(), recorded());
        }
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("""
                create table trip_effect (
                    number bigint generated always as identity, id uuid not null default gen_random_uuid(),
                    trip text not null, step text not null, downstream_key text not null)""");
    }

    static String stop(String key, String point) {
        return key + SEPARATOR + point;
    }

    static String keyOf(String stop) {
        return stop.substring(0, stop.indexOf(SEPARATOR));
    }

    /** Does something when a trip reaches its stop. */
    void reached(String stop, Runnable action) {
        actions.put(stop, action);
    }

    /** Returns the ids of the effects. */
    @Idempotent(scope = "trips", key = "#key", mode = IdempotencyMode.LEASED, lease = "500ms", waitTimeout = "20s")
    List<UUID> travel(String key) {
        reach(key, CLAIMED);
        return Stream.of(Step.values()).map(step -> take(key, step)).toList();
    }

    private UUID take(String key, Step step) {
        IdempotencyContext call = IdempotencyContext.current();
        IdempotencyOperations.Callback<UUID, RuntimeException> work = () -> {
            reach(key, step.begun());
            UUID id = jdbc.queryForObject(
                    "insert into trip_effect (trip, step, downstream_key) values (?, ?, ?) returning id",
                    UUID.class,
                    key,
                    step.name(),
                    call.downstreamKey());
            reach(key, step.done());
            if (step.isInTransaction()) {
                Callbacks.beforeCommit(() -> reach(key, step.written()));
            }
            return id;
        };
        UUID id = step.isInTransaction()
                ? call.stepInTransaction(step.name(), UUID.class, work)
                : call.step(step.name(), UUID.class, work);
        reach(key, step.recorded());
        return id;
    }

    private void reach(String key, String point) {
        actions.getOrDefault(stop(key, point), () -> {}).run();
    }
}
