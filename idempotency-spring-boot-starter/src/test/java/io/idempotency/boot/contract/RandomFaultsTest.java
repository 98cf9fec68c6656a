package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.Backends;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls, messages, batches, publishing and locks, alone and together in transactions of the application, while errors are
 * thrown and swallowed, backends killed and connections cut: what was acknowledged is in the database, nothing is there twice,
 * and no transaction is there by half.
 */
@ContractTest
@Tag("race")
@Tag("full")
class RandomFaultsTest {

    private static final Logger logger = LoggerFactory.getLogger("random-faults");

    private static final int OPERATIONS = TestSize.pick(2_000, 200_000);

    private static final int THREADS = 6;

    private static final int DELIVERIES = 3;

    private static final String APPLICATION_NAME = "random-faults";

    private static final int OPERATIONS_PER_STRIKE = 60;

    private static final List<String> CUT_STATEMENTS =
            List.of("COMMIT", "insert into entry", "idempotency_request", "processed_message", "BEGIN");

    private static final String KILL_ANY = """
            select pg_terminate_backend(pid)
            from (
                select pid
                from pg_stat_activity
                where datname = current_database() and application_name = ?
                    and state in ('active', 'idle in transaction', 'idle in transaction (aborted)') and xact_start is not null
                order by random()
                limit 1) as victim""";

    private static final UUID TAKEN = UUID.randomUUID();

    private final TestDatabase database;

    private final CuttingProxy proxy;

    private final Map<TransactionKind, ContractApplication> applications;

    /** Each name of an effect that was acknowledged, with its response. */
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

    /** What each transaction of the application has written, and whether it was acknowledged. */
    private final Map<Long, Ended> transactions = new ConcurrentHashMap<>();

    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());

    private final AtomicLong attempts = new AtomicLong();

    private final AtomicInteger operations = new AtomicInteger();

    private final AtomicReferenceArray<Part> recent = new AtomicReferenceArray<>(64);

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    RandomFaultsTest(ContractApplications applications) {
        this.database = applications.database();
        this.proxy = applications.proxy();
        database.jdbc()
                .execute("create table entry (id uuid primary key, name text not null, attempt bigint not null)");
        database.jdbc().update("insert into entry values (?, 'taken', 0)", TAKEN);
        this.applications = TransactionKind.startEach(
                List.of(TransactionKind.JDBC, TransactionKind.JPA),
                applications,
                Configured.class,
                "spring.datasource.url=" + proxy.jdbcUrl() + "&ApplicationName=" + APPLICATION_NAME
                        // No server is lost here, so that nothing has to be on the disk.
                        + "&options=-c%20synchronous_commit=off",
                "spring.datasource.hikari.maximum-pool-size=10",
                "spring.datasource.hikari.minimum-idle=4",
                "idempotency.wait-timeout=2s",
                "idempotency.retry.delay=1ms",
                "idempotency.outbox.relay=false",
                "idempotency.verify-responses=false",
                "logging.level.io.idempotency=off");
    }

    @Test
    void whatIsAcknowledgedIsInTheDatabaseOnceAndWhole() {
        Thread faults = new Thread(this::strikeAtRandom, "faults");
        faults.setDaemon(true);
        faults.start();
        try {
            ConcurrentCalls.start(THREADS, thread -> {
                        Random random = new Random(thread);
                        while (operations.incrementAndGet() <= OPERATIONS) {
                            operate(random);
                        }
                        return null;
                    })
                    .await(TestSize.pick(Duration.ofMinutes(5), Duration.ofHours(1)))
                    .requireAllSucceeded();
        } finally {
            operations.set(OPERATIONS);
            applications.values().forEach(ContractApplication::stop);
            proxy.close();
        }

        compareWithDatabase();

        logger.warn("{} operations: {} cuts, {}", OPERATIONS, proxy.cuts(), new TreeMap<>(counts));
        assertThat(violations).isEmpty();
        assertThat(counts.get("killed in a transaction")).isNotNull();
        assertThat(counts.get("killed in its own transaction")).isNotNull();
        assertThat(counts.get("lost connection")).isNotNull();
        assertThat(proxy.cuts()).isPositive();
        assertThat(acknowledged).hasSizeGreaterThan(OPERATIONS / 2);
    }

    private void strikeAtRandom() {
        Random random = new Random(THREADS);
        SingleConnectionDataSource single = connect();
        try {
            JdbcTemplate jdbc = new JdbcTemplate(single);
            int next = 0;
            while (operations.get() < OPERATIONS) {
                jdbc.execute("select pg_sleep(" + random.nextDouble() / 100 + ")");
                if (operations.get() < next) {
                    continue;
                }
                next = operations.get() + random.nextInt(OPERATIONS_PER_STRIKE);
                if (random.nextBoolean()) {
                    Point[] points = Point.values();
                    proxy.cutNext(
                            CUT_STATEMENTS.get(random.nextInt(CUT_STATEMENTS.size())),
                            points[random.nextInt(points.length)]);
                } else {
                    count(
                            "killed in a transaction",
                            jdbc.queryForList(KILL_ANY, Boolean.class, APPLICATION_NAME)
                                    .size());
                }
            }
        } finally {
            single.destroy();
        }
    }

    private SingleConnectionDataSource connect() {
        try {
            return new SingleConnectionDataSource(database.connection(), true);
        } catch (SQLException unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }

    private void operate(Random random) {
        List<TransactionKind> kinds = List.copyOf(applications.keySet());
        TransactionKind kind = kinds.get(random.nextInt(kinds.size()));
        Ledger ledger = applications.get(kind).bean(Ledger.class);
        boolean together = random.nextInt(3) > 0;
        List<Part> parts = IntStream.range(0, together ? 1 + random.nextInt(4) : 1)
                .mapToObj(index -> pick(random, together))
                .distinct()
                .sorted(Comparator.comparing(Part::name))
                .toList();
        for (int delivery = 1; delivery <= DELIVERIES; delivery++) {
            Attempt attempt = new Attempt(attempts.incrementAndGet(), kind, ledger, random);
            boolean done = together ? tryTogether(attempt, parts) : tryAlone(attempt, parts.get(0));
            if (done) {
                break;
            }
        }
        parts.forEach(part -> recent.set(random.nextInt(recent.length()), part));
    }

    /** Something new, or again what was done lately. */
    private Part pick(Random random, boolean together) {
        Part again = recent.get(random.nextInt(recent.length()));
        if (again != null && random.nextInt(3) == 0 && (together || again.kind.isAlone)) {
            return again;
        }
        Kind[] kinds = Kind.values();
        Kind kind = kinds[random.nextInt(kinds.length)];
        return together || kind.isAlone
                ? new Part(kind, UUID.randomUUID().toString())
                : new Part(Kind.CALL, UUID.randomUUID().toString());
    }

    /** The library begins and ends the transaction, and may do so several times. */
    private boolean tryAlone(Attempt attempt, Part part) {
        Fault drawn = attempt.drawFault();
        // Before its key is claimed, a transaction that was rolled back by hand looks like one that has sent nothing.
        Fault fault = part.kind == Kind.OPTIMISTIC_CALL && drawn == Fault.ROLLBACK ? Fault.NONE : drawn;
        try {
            part.kind.take(attempt, part, () -> attempt.once(fault));
        } catch (Exception | StackOverflowError | AssertionError failed) {
            failed(attempt, failed);
            return false;
        }
        acknowledge(attempt);
        return true;
    }

    private boolean tryTogether(Attempt attempt, List<Part> parts) {
        Fault fault = attempt.drawFault();
        // What follows a rollback by hand would hide it from the driver.
        int place = fault == Fault.ROLLBACK ? parts.size() : attempt.random.nextInt(parts.size() + 1);
        boolean isAcknowledged = false;
        try {
            attempt.ledger.transaction.executeWithoutResult(status -> {
                for (int i = 0; i < parts.size(); i++) {
                    if (i == place) {
                        attempt.once(fault);
                    }
                    parts.get(i).kind.take(attempt, parts.get(i), () -> {});
                }
                if (place == parts.size()) {
                    attempt.once(fault);
                }
            });
            isAcknowledged = true;
        } catch (Exception | StackOverflowError failed) {
            failed(attempt, failed);
        }
        transactions.put(attempt.id, new Ended(Set.copyOf(attempt.written), isAcknowledged, attempt.toString()));
        if (isAcknowledged) {
            acknowledge(attempt);
        }
        return isAcknowledged;
    }

    private void acknowledge(Attempt attempt) {
        count("acknowledged", 1);
        count("acknowledged with " + attempt.fault, 1);
        attempt.met.forEach((name, response) -> {
            String before = acknowledged.putIfAbsent(name, response);
            if (before != null && !before.equals(response)) {
                violations.add(name + " was answered with " + before + " and " + response);
            }
        });
    }

    private void failed(Attempt attempt, Throwable failure) {
        count("failed", 1);
        count("failed with " + attempt.fault, 1);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && sql.getSQLState() != null
                    && (sql.getSQLState().startsWith("08") || sql.getSQLState().startsWith("57P"))) {
                count("lost connection", 1);
                break;
            }
        }
    }

    private void count(String what, int number) {
        if (number > 0) {
            counts.computeIfAbsent(what, ignored -> new LongAdder()).add(number);
        }
    }

    private void compareWithDatabase() {
        Map<String, String> ids = new HashMap<>();
        Map<Long, Set<String>> byAttempt = new HashMap<>();
        JdbcTemplate jdbc = database.jdbc();
        jdbc.query("select name, id, attempt from entry", row -> {
            String name = row.getString(1);
            if (ids.put(name, row.getString(2)) != null) {
                violations.add(name + " is there twice");
            }
            byAttempt
                    .computeIfAbsent(row.getLong(3), id -> new LinkedHashSet<>())
                    .add(name);
        });
        Set<String> published = new LinkedHashSet<>(
                jdbc.queryForList("select payload #>> '{}' from idempotency.outbox_event", String.class));
        acknowledged.forEach((name, response) -> {
            String id = ids.get(name);
            if (id == null) {
                violations.add(name + " was acknowledged and is not there");
            } else if (!response.isEmpty() && !response.equals(id)) {
                violations.add(name + " was answered with " + response + " and is " + id);
            }
        });
        ids.keySet().stream()
                .filter(name -> name.startsWith("PUBLISHING") && !published.contains(name))
                .forEach(name -> violations.add(name + " was not published"));
        published.stream()
                .filter(name -> !ids.containsKey(name))
                .forEach(name -> violations.add(name + " was published without its effect"));
        transactions.forEach((id, ended) -> {
            Set<String> kept = byAttempt.getOrDefault(id, Set.of());
            if (!kept.equals(ended.written) && (ended.acknowledged || !kept.isEmpty())) {
                violations.add("Transaction " + ended + " has kept " + kept);
            }
        });
    }

    private record Ended(Set<String> written, boolean acknowledged, String description) {}

    /** What is done, with what names it. */
    private record Part(Kind kind, String key) {

        String name() {
            return kind + " " + key;
        }
    }

    private enum Kind {
        CALL(true),
        CALL_WITHOUT_RESPONSE(true),
        OPTIMISTIC_CALL(true),
        WRITE(true),
        MESSAGE(true),
        BATCH(false),
        PUBLISHING(false),
        LOCK(false);

        /** Whether the library can begin its transaction. */
        private final boolean isAlone;

        Kind(boolean isAlone) {
            this.isAlone = isAlone;
        }

        void take(Attempt attempt, Part part, Runnable further) {
            switch (this) {
                case CALL ->
                    attempt.met.put(part.name(), attempt.ledger.calls.pay(part.key, () -> {
                        String id = attempt.write(part.name());
                        further.run();
                        return id;
                    }));
                case OPTIMISTIC_CALL ->
                    attempt.met.put(part.name(), attempt.ledger.calls.payOptimistically(part.key, () -> {
                        String id = attempt.write(part.name());
                        further.run();
                        return id;
                    }));
                case WRITE -> attempt.met.put(part.name(), attempt.writeKeyed(part));
                case CALL_WITHOUT_RESPONSE -> {
                    attempt.ledger.calls.payQuietly(part.key, () -> {
                        attempt.write(part.name());
                        further.run();
                    });
                    attempt.met.put(part.name(), "");
                }
                case MESSAGE -> {
                    attempt.ledger.inbox.handleOnce("ledger", part.key, () -> {
                        attempt.write(part.name());
                        further.run();
                    });
                    attempt.met.put(part.name(), "");
                }
                case BATCH -> {
                    List<String> ids =
                            Stream.of("a", "b", "c").map(id -> part.key + id).toList();
                    attempt.ledger
                            .inbox
                            .claimNew("ledger-batches", ids, id -> id)
                            .forEach(id -> attempt.write("BATCH " + id));
                    ids.forEach(id -> attempt.met.put("BATCH " + id, ""));
                }
                case PUBLISHING -> {
                    String name = "PUBLISHING " + UUID.randomUUID();
                    attempt.write(name);
                    attempt.ledger.outbox.publish(
                            OutboxMessage.of("ledger", "Entry").payload(name).build());
                    attempt.met.put(name, "");
                }
                case LOCK -> {
                    attempt.ledger.locks.acquire("ledger", part.key.substring(0, 1), Duration.ofSeconds(2));
                    String name = "LOCK " + UUID.randomUUID();
                    attempt.write(name);
                    attempt.met.put(name, "");
                }
            }
        }
    }

    /** Of the application, in its transaction or in a callback before its commit. */
    private enum Fault {
        NONE,
        SWALLOWED_ERROR,
        HEALED_ERROR,
        THROWN,
        STACK_OVERFLOW,
        SWALLOWED_FAILURE_OF_A_CALL,
        HEALED_FAILURE_OF_A_CALL,
        CALL_IN_A_NEW_TRANSACTION(true),
        ROLLBACK,
        KILL(true);

        /** What kills takes a new connection. */
        private final boolean isSlow;

        Fault() {
            this(false);
        }

        Fault(boolean isSlow) {
            this.isSlow = isSlow;
        }

        void strike(Attempt attempt) {
            switch (this) {
                case NONE -> {}
                case SWALLOWED_ERROR -> {
                    try {
                        attempt.ledger.fail();
                    } catch (DuplicateKeyException swallowed) {
                        // As an application does.
                    }
                }
                case HEALED_ERROR ->
                    attempt.ledger.onConnection(connection -> {
                        Savepoint savepoint = connection.setSavepoint();
                        SWALLOWED_ERROR.strike(attempt);
                        connection.rollback(savepoint);
                    });
                case THROWN -> throw new IllegalStateException("on purpose");
                case STACK_OVERFLOW -> overflow(0);
                case SWALLOWED_FAILURE_OF_A_CALL -> swallow(() -> failingCall(attempt));
                case HEALED_FAILURE_OF_A_CALL -> {
                    if (attempt.kind != TransactionKind.JPA) {
                        swallow(() -> attempt.ledger.nested.executeWithoutResult(status -> failingCall(attempt)));
                    }
                }
                case CALL_IN_A_NEW_TRANSACTION -> {
                    String key = UUID.randomUUID().toString();
                    swallow(() -> attempt.ledger.calls.payAnew(key, () -> {
                        String id = UUID.randomUUID().toString();
                        attempt.ledger.write(id, "NEW " + key, 0);
                        attempt.killOnce();
                        return id;
                    }));
                }
                case ROLLBACK -> attempt.ledger.onConnection(Connection::rollback);
                case KILL -> attempt.killOnce();
            }
        }

        @SuppressWarnings("InfiniteRecursion") // This is the fault.
        private static int overflow(int depth) {
            return overflow(depth + 1) + 1;
        }

        private static void failingCall(Attempt attempt) {
            attempt.ledger.calls.pay(UUID.randomUUID().toString(), () -> {
                attempt.ledger.write(UUID.randomUUID().toString(), "never kept", attempt.id);
                throw new IllegalStateException("on purpose");
            });
        }

        private static void swallow(Runnable work) {
            try {
                work.run();
            } catch (IllegalStateException | DataAccessException swallowed) {
                // As an application does.
            }
        }
    }

    private final class Attempt {

        private final long id;

        private final TransactionKind kind;

        private final Ledger ledger;

        private final Random random;

        private final Set<String> written = new LinkedHashSet<>();

        /** What is there when this is acknowledged. */
        private final Map<String, String> met = new HashMap<>();

        private String fault = "";

        private boolean isStruck;

        private boolean isKilled;

        Attempt(long id, TransactionKind kind, Ledger ledger, Random random) {
            this.id = id;
            this.kind = kind;
            this.ledger = ledger;
            this.random = random;
        }

        Fault drawFault() {
            Fault[] faults = Fault.values();
            Fault drawn = random.nextInt(5) < 3 ? Fault.NONE : faults[random.nextInt(faults.length)];
            return drawn.isSlow && random.nextInt(4) > 0 ? Fault.NONE : drawn;
        }

        /** Here or in a callback. A repeat by the library meets it no more. */
        void once(Fault drawn) {
            if (isStruck || drawn == Fault.NONE) {
                return;
            }
            isStruck = true;
            int place = random.nextInt(4);
            fault = drawn
                    + List.of(" here", " here", " before commit", " before completion")
                            .get(place);
            switch (place) {
                case 2 -> Callbacks.beforeCommit(() -> drawn.strike(Attempt.this));
                case 3 -> Callbacks.beforeCompletion(() -> drawn.strike(Attempt.this));
                default -> drawn.strike(this);
            }
        }

        /** From another connection. */
        void killOnce() {
            if (!isKilled) {
                isKilled = true;
                ledger.onConnection(connection -> {
                    boolean wasThere = database.jdbc()
                            .queryForObject(
                                    "select pg_terminate_backend(?)", Boolean.class, Backends.pidOf(connection));
                    count("killed in its own transaction", wasThere ? 1 : 0);
                });
            }
        }

        String write(String name) {
            String entry = UUID.randomUUID().toString();
            ledger.write(entry, name, id);
            written.add(name);
            return entry;
        }

        /** Without a method that could fail on purpose. */
        String writeKeyed(Part part) {
            String entry = UUID.randomUUID().toString();
            String answer = ledger.operations
                    .write("ledger-writes", part.key, "same")
                    .statement(
                            "insert into entry (id, name, attempt) values (:id::uuid, :name, :attempt)",
                            Map.of("id", entry, "name", part.name(), "attempt", id))
                    .expectRows(1)
                    .respond(String.class, entry);
            if (entry.equals(answer)) {
                written.add(part.name());
            }
            return answer;
        }

        @Override
        public String toString() {
            return kind + " " + id + " " + fault;
        }
    }

    @FunctionalInterface
    private interface OnConnection {

        void accept(Connection connection) throws SQLException;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Configured {

        @Bean
        Calls calls() {
            return new Calls();
        }

        @Bean
        Ledger ledger(
                JdbcTemplate jdbc,
                PlatformTransactionManager manager,
                Calls calls,
                IdempotencyOperations operations,
                Inbox inbox,
                Outbox outbox,
                TransactionLocks locks) {
            return new Ledger(jdbc, manager, calls, operations, inbox, outbox, locks);
        }
    }

    static final class Ledger {

        private final JdbcTemplate jdbc;

        private final TransactionTemplate transaction;

        private final TransactionTemplate nested;

        private final Calls calls;

        private final IdempotencyOperations operations;

        private final Inbox inbox;

        private final Outbox outbox;

        private final TransactionLocks locks;

        Ledger(
                JdbcTemplate jdbc,
                PlatformTransactionManager manager,
                Calls calls,
                IdempotencyOperations operations,
                Inbox inbox,
                Outbox outbox,
                TransactionLocks locks) {
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(manager);
            this.nested = new TransactionTemplate(manager);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            this.calls = calls;
            this.operations = operations;
            this.inbox = inbox;
            this.outbox = outbox;
            this.locks = locks;
        }

        private void write(String id, String name, long attempt) {
            jdbc.update("insert into entry (id, name, attempt) values (?::uuid, ?, ?)", id, name, attempt);
        }

        private void fail() {
            jdbc.update("insert into entry (id, name, attempt) values (?, 'taken', 0)", TAKEN);
        }

        private void onConnection(OnConnection work) {
            jdbc.execute((Connection connection) -> {
                work.accept(connection);
                return null;
            });
        }
    }

    static class Calls {

        @Transactional
        @Idempotent(scope = "ledger", key = "#key", fingerprint = "'same'")
        public String pay(String key, Supplier<String> work) {
            return work.get();
        }

        @Transactional
        @Idempotent(
                scope = "ledger-optimistic",
                key = "#key",
                fingerprint = "'same'",
                mode = IdempotencyMode.OPTIMISTIC)
        public String payOptimistically(String key, Supplier<String> work) {
            return work.get();
        }

        @Transactional
        @Idempotent(scope = "ledger-quiet", key = "#key", fingerprint = "'same'")
        public void payQuietly(String key, Runnable work) {
            work.run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "ledger-new", key = "#key", fingerprint = "'same'")
        public String payAnew(String key, Supplier<String> work) {
            return work.get();
        }
    }
}
