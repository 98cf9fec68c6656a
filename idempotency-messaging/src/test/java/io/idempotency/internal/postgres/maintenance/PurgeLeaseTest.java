package io.idempotency.internal.postgres.maintenance;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.test.Backends;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Of all instances one purges at a time, and none for longer than it lives. */
@PostgresTest
class PurgeLeaseTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final TestDatabase database;
    private final JdbcTemplate admin;

    PurgeLeaseTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.processed_message, idempotency.purge_lease");
    }

    @Test
    void nobodyElsePurgesInThePausesOfARunAndEverybodyWhenItHasEnded() {
        insertExpired(10);
        PurgeLease first = store("first").begin(LONG);
        PurgeLease second = store("second").begin(LONG);
        assertThat(messages(first).deleteExpired(4)).hasValue(4);

        assertThat(messages(second).deleteExpired(4)).isEmpty();
        second.release();
        assertThat(messages(second).deleteExpired(4)).isEmpty();
        assertThat(messages(first).deleteExpired(4)).hasValue(4);

        first.release();
        assertThat(messages(second).deleteExpired(4)).hasValue(2);
        assertThat(messages(first).deleteExpired(4)).isEmpty();
    }

    @Test
    void operatorsSeeWhoPurgesAndSinceWhen() {
        insertExpired(10);
        PurgeLease run = store("shop 42@host").begin(LONG);

        messages(run).deleteExpired(1);
        String started = admin.queryForObject("select started_at::text from idempotency.purge_lease", String.class);
        messages(run).deleteExpired(1);

        assertThat(admin.queryForMap("select held_by, started_at::text as started_at,"
                        + " held_until > now() + interval '4 minutes' as held from idempotency.purge_lease"))
                .containsEntry("held_by", "shop 42@host")
                .containsEntry("started_at", started)
                .containsEntry("held", true);
    }

    @Test
    void aBatchIsNotWaitedFor() throws SQLException {
        insertExpired(10);
        try (Session other = new Session(database.connection())) {
            other.execute("select pg_advisory_xact_lock('idempotency.idempotency_request'::regclass::oid::integer, 0)");

            assertThat(messages(store("second").begin(LONG)).deleteExpired(4)).isEmpty();

            other.rollback();
            assertThat(messages(store("second").begin(LONG)).deleteExpired(4)).hasValue(4);
        }
    }

    @Test
    void aHolderThatVanishesIsFollowedByAnother() throws InterruptedException {
        insertExpired(10);
        messages(store("killed").begin(LONG)).deleteExpired(4);
        Purge second = purge(store("second"), Duration.ZERO);

        assertThat(second.run().end()).isEqualTo(End.RUNNING_ELSEWHERE);

        admin.execute("update idempotency.purge_lease set held_until = now() + interval '300 milliseconds'");
        Awaitility.await().until(() -> second.run().end() == End.NOTHING_LEFT);
        assertThat(rows()).isZero();
    }

    @Test
    void aHolderThatComesBackFindsThatItsTurnIsOver() {
        insertExpired(10);
        PurgeLease slow = store("slow").begin(Duration.ZERO);
        messages(slow).deleteExpired(4);
        messages(store("second").begin(LONG)).deleteExpired(4);

        assertThat(messages(slow).deleteExpired(4)).isEmpty();
        slow.release();

        assertThat(messages(store("third").begin(LONG)).deleteExpired(4)).isEmpty();
    }

    /** As after a holder that vanished, and a clock that was wrong at that time. */
    @Test
    void aTurnThatNobodyCanHaveIsNotWaitedFor() {
        insertExpired(10);
        messages(store("vanished").begin(LONG)).deleteExpired(4);
        admin.execute("update idempotency.purge_lease set held_until = now() + interval '2 days'");

        assertThat(messages(store("second").begin(LONG)).deleteExpired(10)).hasValue(6);
    }

    @Test
    @Tag("race")
    void aRunIsNotEndedByOthersWhoOnlyLook() throws InterruptedException {
        int rows = TestSize.pick(300, 10_000);
        insertExpired(rows);
        PurgeLease run = store("first").begin(LONG);
        assertThat(messages(run).deleteExpired(1)).hasValue(1);
        AtomicBoolean over = new AtomicBoolean();

        ConcurrentCalls<Integer> looking = ConcurrentCalls.start(2, instance -> {
            int deleted = 0;
            while (!over.get()) {
                deleted += messages(store("other").begin(LONG)).deleteExpired(1).orElse(0);
            }
            return deleted;
        });
        try {
            for (int row = 1; row < rows; row++) {
                assertThat(messages(run).deleteExpired(1)).hasValue(1);
            }
        } finally {
            over.set(true);
        }

        assertThat(looking.await().requireAllSucceeded()).containsOnly(0);
    }

    @Test
    @Tag("race")
    void aHolderWhoseConnectionIsKilledInABatchLosesNothingAndIsFollowedByAnother() throws Exception {
        insertExpired(100);
        ConcurrentCalls<PurgeReport> killed;
        try (Session blocking = new Session(database.connection())) {
            blocking.execute("lock table idempotency.processed_message in exclusive mode");
            Purge first = purge(store("first"), Duration.ZERO);
            killed = ConcurrentCalls.start(1, () -> first.run());
            database.backends().awaitBlocked(1);
            assertThat(purge(store("second"), Duration.ZERO).run().end()).isEqualTo(End.RUNNING_ELSEWHERE);

            database.backends().terminate(blocked());
        }
        assertThat(killed.await().failures()).hasSize(1);
        assertThat(rows()).isEqualTo(100);

        assertThat(purge(store("second"), Duration.ZERO).run().total()).isEqualTo(100);
    }

    @Test
    void isolationOfThePoolDoesNotMatter() throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.adminDataSource());
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            insertExpired(250);
            PurgeStore store =
                    MigratedTables.storage(pool, MigratedTables.SCHEMA).purgeStore("test", false);

            assertThat(purge(store, Duration.ZERO).run().total()).isEqualTo(250);
        }
    }

    /** Each instance writes down when one of its batches deleted something. */
    @Test
    @Tag("race")
    void instancesDoNotPurgeInEachOthersPausesAndDeleteEveryRowOnce() {
        int rows = TestSize.pick(5_000, 200_000);
        insertExpired(rows);
        List<String> batches = new CopyOnWriteArrayList<>();
        AtomicLong told = new AtomicLong();
        IdempotencyListener listener = new IdempotencyListener() {
            @Override
            public void rowsPurged(RowsPurged event) {
                told.addAndGet(event.rows());
            }
        };

        List<Long> deleted = ConcurrentCalls.run(3, instance -> {
                    Purge purge = new Purge(
                            noting(batches, "instance " + instance),
                            new PurgeSettings(100, Duration.ofMillis(5), Duration.ofMillis(200)),
                            listener);
                    long total = 0;
                    PurgeReport report;
                    do {
                        report = purge.run();
                        total += report.total();
                    } while (rows() > 0);
                    return total;
                })
                .requireAllSucceeded();

        assertThat(deleted.stream().mapToLong(Long::longValue).sum()).isEqualTo(rows);
        assertThat(told).hasValue(rows);
        assertThat(runsOf(batches))
                .as("runs in the order of their batches: one that another got in between of would be there twice")
                .hasSizeGreaterThan(1)
                .doesNotHaveDuplicates();
    }

    private PurgeStore noting(List<String> batches, String instance) {
        PurgeStore store = store(instance);
        return hold -> {
            PurgeLease lease = store.begin(hold);
            return new PurgeLease() {
                @Override
                public List<ExpiringTable> tables() {
                    return List.of(new Noting(messages(lease), rows -> batches.add(instance + " " + lease.hashCode())));
                }

                @Override
                public void release() {
                    lease.release();
                }
            };
        };
    }

    /** The runs in the order in which they purged; one that was interrupted by another is there twice. */
    private static List<String> runsOf(List<String> batches) {
        List<String> runs = new CopyOnWriteArrayList<>();
        for (String batch : batches) {
            if (runs.isEmpty() || !runs.get(runs.size() - 1).equals(batch)) {
                runs.add(batch);
            }
        }
        return runs;
    }

    private record Noting(ExpiringTable table, IntConsumer notes) implements ExpiringTable {

        @Override
        public String name() {
            return table.name();
        }

        @Override
        public OptionalInt deleteExpired(int limit) {
            OptionalInt deleted = table.deleteExpired(limit);
            if (deleted.orElse(0) > 0) {
                notes.accept(deleted.getAsInt());
            }
            return deleted;
        }
    }

    private int blocked() {
        return database.backends().activity().stream()
                .filter(Backends.Backend::blocked)
                .findFirst()
                .orElseThrow()
                .pid();
    }

    private PurgeStore store(String heldBy) {
        return MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .purgeStore(heldBy, false);
    }

    private static Purge purge(PurgeStore store, Duration pause) {
        return new Purge(store, new PurgeSettings(100, pause, LONG), new IdempotencyListener() {});
    }

    private static ExpiringTable messages(PurgeLease lease) {
        return lease.tables().stream()
                .filter(table -> table.name().equals("processed_message"))
                .findFirst()
                .orElseThrow();
    }

    private void insertExpired(int rows) {
        admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'test', 'm-' || i, now(), now() - i * interval '1 millisecond' - interval '1 second'
                from generate_series(1, ?) i""", rows);
    }

    private int rows() {
        return admin.queryForObject("select count(*) from idempotency.processed_message", Integer.class);
    }
}
