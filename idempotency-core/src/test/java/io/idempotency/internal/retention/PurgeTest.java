package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** When a purge goes on and when it ends; what it deletes is the matter of the tables. */
class PurgeTest {

    private static final int BATCH = 100;

    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<RowsPurged> events = new ArrayList<>();

    private final List<String> order = new ArrayList<>();

    private int leasesReleased;

    private final IdempotencyListener listener = new IdempotencyListener() {
        @Override
        public void rowsPurged(RowsPurged event) {
            events.add(event);
        }
    };

    @Test
    void deletesBatchesUntilOneIsNotFull() throws InterruptedException {
        Table table = new Table("request", 250);

        assertThat(purge(LONG, table).run()).isEqualTo(new PurgeReport(Map.of("request", 250L), End.NOTHING_LEFT));

        assertThat(table.batches).containsExactly(100, 100, 50);
    }

    @Test
    void looksOnceMoreAfterALastBatchThatWasFull() throws InterruptedException {
        Table table = new Table("request", 200);

        assertThat(purge(LONG, table).run().total()).isEqualTo(200);

        assertThat(table.batches).containsExactly(100, 100, 0);
    }

    @Test
    void tellsWhatItDeletedOfEachTable() throws InterruptedException {
        PurgeReport report = purge(LONG, new Table("request", 3), new Table("nothing", 0), new Table("message", 101))
                .run();

        assertThat(report.deleted()).containsExactly(Map.entry("request", 3L), Map.entry("message", 101L));
        assertThat(report.total()).isEqualTo(104);
        assertThat(events).containsExactly(new RowsPurged("request", 3), new RowsPurged("message", 101));
    }

    @Test
    void letsNoTableKeepTheOthersWaiting() throws InterruptedException {
        purge(LONG, new Table("request", 300), new Table("message", 100), new Table("event", 1))
                .run();

        assertThat(order).containsExactly("request", "message", "event", "request", "message", "request", "request");
    }

    @Test
    void startsNoFurtherBatchWhenItsTimeIsUp() throws InterruptedException {
        Table endless = new Table("request", Integer.MAX_VALUE);

        assertThat(purge(LONG, endless).run(Duration.ZERO))
                .isEqualTo(new PurgeReport(Map.of("request", (long) BATCH), End.TIME_UP));
        assertThat(events).containsExactly(new RowsPurged("request", BATCH));
        assertThat(leasesReleased).isOne();
    }

    @Test
    void doesNotBreakATimeLimitByMuch() throws InterruptedException {
        Table endless = new Table("request", Integer.MAX_VALUE);
        long start = System.nanoTime();

        PurgeReport report =
                purge(Duration.ofMillis(5), Duration.ofSeconds(1), endless).run();

        assertThat(report.end()).isEqualTo(End.TIME_UP);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(endless.batches).hasSizeGreaterThan(1);
    }

    @Test
    void endsWhenItHasLostTheLease() throws InterruptedException {
        Table lost = new Table("request", Integer.MAX_VALUE) {
            @Override
            public OptionalInt deleteExpired(int limit) {
                return batches.size() == 2 ? OptionalInt.empty() : super.deleteExpired(limit);
            }
        };

        assertThat(purge(LONG, lost, new Table("message", 5)).run())
                .isEqualTo(new PurgeReport(Map.of("request", 200L, "message", 5L), End.RUNNING_ELSEWHERE));
        assertThat(leasesReleased).isOne();
    }

    @Test
    void goesOnWithTheOtherTablesWhenOneFailsAndThrowsItsFailureInTheEnd() {
        Table failing = new Table("request", Integer.MAX_VALUE) {
            @Override
            public OptionalInt deleteExpired(int limit) {
                if (batches.size() == 2) {
                    throw new IllegalStateException("connection lost");
                }
                return super.deleteExpired(limit);
            }
        };
        Table other = new Table("message", 3 * BATCH);

        assertThatThrownBy(() -> purge(LONG, failing, other).run()).hasMessage("connection lost");

        assertThat(events).containsExactly(new RowsPurged("request", 2 * BATCH), new RowsPurged("message", 3 * BATCH));
        assertThat(leasesReleased).isOne();
    }

    @Test
    void failureToReleaseTheLeaseChangesNothing() throws InterruptedException {
        Table table = new Table("request", 3);
        PurgeStore store = hold -> new PurgeLease() {
            @Override
            public List<ExpiringTable> tables() {
                return List.of(table);
            }

            @Override
            public void release() {
                throw new IllegalStateException("connection lost");
            }
        };

        Purge purge = new Purge(store, new PurgeSettings(BATCH, Duration.ZERO, LONG), listener);

        assertThat(purge.run().total()).isEqualTo(3);
    }

    @Test
    void endsWhenInterruptedInABatchAndTellsWhatWasDeleted() {
        Table interrupting = new Table("request", Integer.MAX_VALUE) {
            @Override
            public OptionalInt deleteExpired(int limit) {
                Thread.currentThread().interrupt();
                return super.deleteExpired(limit);
            }
        };

        assertThatThrownBy(() -> purge(LONG, interrupting).run()).isInstanceOf(InterruptedException.class);
        assertThat(interrupting.batches).hasSize(1);
        assertThat(events).containsExactly(new RowsPurged("request", BATCH));
        assertThat(leasesReleased).isOne();
    }

    @Test
    void endsAtOnceWhenInterruptedInItsPause() throws InterruptedException {
        Purge purge = purge(Duration.ofMinutes(1), Duration.ofHours(1), new Table("request", Integer.MAX_VALUE));
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                purge.run();
            } catch (Throwable end) {
                thrown.add(end);
            }
        });
        thread.start();
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

        thread.interrupt();
        thread.join(TimeUnit.SECONDS.toMillis(30));

        assertThat(thrown).singleElement().isInstanceOf(InterruptedException.class);
        assertThat(leasesReleased).isOne();
    }

    @Test
    void runsOnceAtATime() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Table slow = new Table("request", 1) {
            @Override
            public OptionalInt deleteExpired(int limit) {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return super.deleteExpired(limit);
            }
        };
        Purge purge = purge(LONG, slow);
        ConcurrentCalls<PurgeReport> first = ConcurrentCalls.start(1, () -> purge.run());
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(purge.run()).isEqualTo(new PurgeReport(Map.of(), End.RUNNING_ELSEWHERE));

        go.countDown();
        assertThat(first.await().requireAllSucceeded())
                .containsExactly(new PurgeReport(Map.of("request", 1L), End.NOTHING_LEFT));
        assertThat(purge.run().end()).isEqualTo(End.NOTHING_LEFT);
    }

    private Purge purge(Duration maxDuration, Table... tables) {
        return purge(Duration.ZERO, maxDuration, tables);
    }

    private Purge purge(Duration pause, Duration maxDuration, Table... tables) {
        for (Table table : tables) {
            table.order = order;
        }
        PurgeStore store = hold -> new PurgeLease() {
            @Override
            public List<ExpiringTable> tables() {
                return List.of(tables);
            }

            @Override
            public void release() {
                leasesReleased++;
            }
        };
        return new Purge(store, new PurgeSettings(BATCH, pause, maxDuration), listener);
    }

    private static class Table implements ExpiringTable {

        final List<Integer> batches = new ArrayList<>();

        private final String name;

        private List<String> order = new ArrayList<>();

        private int expired;

        Table(String name, int expired) {
            this.name = name;
            this.expired = expired;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public OptionalInt deleteExpired(int limit) {
            int deleted = Math.min(limit, expired);
            expired -= deleted;
            batches.add(deleted);
            order.add(name);
            return OptionalInt.of(deleted);
        }
    }
}
