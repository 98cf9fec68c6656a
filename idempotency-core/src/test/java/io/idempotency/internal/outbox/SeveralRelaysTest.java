package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Relays of several instances on one database, with messages that fail and backends that are killed in the middle. */
@PostgresTest
@Tag("full")
class SeveralRelaysTest {

    private static final int MESSAGES = TestSize.pick(1_200, 10_002);

    private static final int RELAYS = 3;

    private static final int PUBLISHERS = 3;

    private static final int KEYS_OF_A_PUBLISHER = 7;

    private static final int MESSAGES_TO_A_KILL = 150;

    /** Of each publisher. */
    private static final int LAST_MESSAGES = 20;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private Receiver receiver = new Receiver(MESSAGES_TO_A_KILL);

    private final AtomicBoolean published = new AtomicBoolean();

    private final AtomicInteger lostBatches = new AtomicInteger();

    SeveralRelaysTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event");
    }

    @Test
    @Tag("race")
    void nothingIsLostAndTheOrderOfEachKeyHolds() {
        relayAndCheckTheOrder();

        assertThat(receiver.kills).as("relays killed").hasPositiveValue();
        assertThat(lostBatches).as("batches that were lost").hasPositiveValue();
    }

    @Test
    @Tag("race")
    void relaysThatNobodyDisturbsDoNotDisturbEachOther() {
        receiver = new Receiver(Integer.MAX_VALUE);

        relayAndCheckTheOrder();

        assertThat(lostBatches).as("batches that were lost").hasValue(0);
    }

    private void relayAndCheckTheOrder() {
        List<CompletableFuture<?>> relays = new ArrayList<>();
        for (int i = 0; i < RELAYS; i++) {
            relays.add(CompletableFuture.runAsync(this::relayUntilAllIsSent, runnable -> new Thread(runnable).start()));
        }
        List<Map<String, List<UUID>>> ids = ConcurrentCalls.run(PUBLISHERS, publisher -> publishAll(publisher))
                .requireAllSucceeded();
        published.set(true);
        CompletableFuture.allOf(relays.toArray(CompletableFuture<?>[]::new))
                .orTimeout(TestSize.pick(60, 600), TimeUnit.SECONDS)
                .join();

        assertThat(receiver.failures).as("failed attempts").hasPositiveValue();
        Map<String, List<UUID>> expected = new HashMap<>();
        ids.forEach(expected::putAll);
        assertThat(receiver.firstArrivals()).isEqualTo(expected);
        assertThat(receiver.overtaken).isEmpty();
        assertThat(admin.queryForObject(
                        "select count(*) from idempotency.outbox_event where status = 'sent'", Integer.class))
                .isEqualTo(MESSAGES);
    }

    /** Each key belongs to one publisher, so that its transactions do not overlap. */
    private Map<String, List<UUID>> publishAll(int number) {
        Publisher publisher = new Publisher(database.dataSource());
        Map<String, List<UUID>> ids = new HashMap<>();
        Random random = new Random(number);
        int messages = MESSAGES / PUBLISHERS;
        for (int i = 0; i < messages; ) {
            int together = Math.min(messages - i, 1 + random.nextInt(3));
            if (messages - i <= LAST_MESSAGES) {
                awaitTurnOfLastMessages();
            }
            publisher.transaction.executeWithoutResult(status -> {
                for (int j = 0; j < together; j++) {
                    String key = "key-" + number + "-" + random.nextInt(KEYS_OF_A_PUBLISHER);
                    UUID id = publisher.outbox.publish(Publisher.message(key, key));
                    ids.computeIfAbsent(key, first -> new ArrayList<>()).add(id);
                }
            });
            i += together;
        }
        return ids;
    }

    void awaitTurnOfLastMessages() {}

    private void relayUntilAllIsSent() {
        HikariDataSource pool = database.dataSource(1);
        OutboxRelay relay = new OutboxRelay(
                new Publisher(pool).store,
                receiver,
                new RelaySettings(
                        20,
                        Duration.ofSeconds(5),
                        1_000,
                        new Backoff(Duration.ofMillis(5), 1.5, Duration.ofMillis(50))),
                new IdempotencyListener() {});
        while (!published.get() || isAnyPending()) {
            try {
                relay.sendBatch();
            } catch (DataAccessException | TransactionException killed) {
                lostBatches.incrementAndGet();
            }
        }
    }

    private boolean isAnyPending() {
        return Boolean.TRUE.equals(admin.queryForObject(
                "select exists (select 1 from idempotency.outbox_event where status = 'pending')", Boolean.class));
    }

    /** In the midst of a batch, which is when a relay's transaction is idle. */
    private int killARelay() {
        return admin.queryForList("""
                        select pg_terminate_backend(pid)
                        from pg_stat_activity
                        where datname = current_database() and state = 'idle in transaction'
                            and query like '%idempotency.lanes%'
                        limit 1""").size();
    }

    /** Answers after a while, on other threads, and every tenth time with a failure. */
    private final class Receiver implements OutboxSender {

        private final AtomicInteger failures = new AtomicInteger();

        private final AtomicInteger kills = new AtomicInteger();

        private final int messagesToAKill;

        private int begunInAll;

        private Receiver(int messagesToAKill) {
            this.messagesToAKill = messagesToAKill;
        }

        private final Map<String, Set<UUID>> arrivals = new LinkedHashMap<>();

        private final Random random = new Random(42);

        /** Messages that were begun with before the one before them had arrived. */
        private final List<String> overtaken = new ArrayList<>();

        private final Map<String, Set<UUID>> begun = new HashMap<>();

        @Override
        public synchronized CompletionStage<Void> send(OutboxRecord message) {
            if (++begunInAll % messagesToAKill == 0) {
                kills.addAndGet(killARelay());
            }
            String key = message.orderingKey();
            Set<UUID> begunBefore = begun.computeIfAbsent(key, first -> new HashSet<>());
            Set<UUID> arrived = arrivals.computeIfAbsent(key, first -> new LinkedHashSet<>());
            if (begunBefore.add(message.id()) && begunBefore.size() != arrived.size() + 1) {
                overtaken.add(key + " " + message.id());
            }
            boolean fails = random.nextInt(10) == 0;
            return CompletableFuture.runAsync(
                    () -> {
                        if (fails) {
                            failures.incrementAndGet();
                            throw new IllegalStateException("not this time");
                        }
                        synchronized (this) {
                            arrivals.get(key).add(message.id());
                        }
                    },
                    CompletableFuture.delayedExecutor(random.nextInt(8), TimeUnit.MILLISECONDS));
        }

        private synchronized Map<String, List<UUID>> firstArrivals() {
            Map<String, List<UUID>> copy = new HashMap<>();
            arrivals.forEach((key, ids) -> copy.put(key, List.copyOf(ids)));
            return copy;
        }
    }
}
