package io.idempotency.retention;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** When a purge goes on and when it ends; what it deletes is the matter of the tables. */
class PurgeTest {

    private static final int BATCH = 100;

    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<RowsPurged> events = new ArrayList<>();

    private final IdempotencyListener listener = new IdempotencyListener() {
        @Override
        public void rowsPurged(RowsPurged event) {
            events.add(event);
        }
    };

    @Test
    void deletesBatchesUntilOneIsNotFull() throws InterruptedException {
        Table table = new Table("request", 250);

        assertThat(purge(LONG, table).run()).isEqualTo(250);

        assertThat(table.batches).containsExactly(100, 100, 50);
    }

    @Test
    void looksOnceMoreAfterALastBatchThatWasFull() throws InterruptedException {
        Table table = new Table("request", 200);

        assertThat(purge(LONG, table).run()).isEqualTo(200);

        assertThat(table.batches).containsExactly(100, 100, 0);
    }

    @Test
    void purgesEachTableInItsOrderAndTellsWhatItDeleted() throws InterruptedException {
        assertThat(purge(LONG, new Table("request", 3), new Table("nothing", 0), new Table("message", 101))
                        .run())
                .isEqualTo(104);

        assertThat(events).containsExactly(new RowsPurged("request", 3), new RowsPurged("message", 101));
    }

    @Test
    void startsNoFurtherBatchWhenItsTimeIsUp() throws InterruptedException {
        Table endless = new Table("request", Integer.MAX_VALUE);

        assertThat(purge(Duration.ZERO, endless).run()).isEqualTo(BATCH);
        assertThat(events).containsExactly(new RowsPurged("request", BATCH));
    }

    @Test
    void doesNotBreakATimeLimitByMuch() throws InterruptedException {
        Table endless = new Table("request", Integer.MAX_VALUE);
        long start = System.nanoTime();

        new Purge(List.of(endless), BATCH, Duration.ofMillis(5), Duration.ofMillis(100), listener).run();

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(100), Duration.ofSeconds(5));
        assertThat(endless.batches).hasSizeGreaterThan(1);
    }

    @Test
    void tellsWhatWasDeletedBeforeATableFailed() {
        Table failing = new Table("request", Integer.MAX_VALUE) {
            @Override
            public int deleteExpired(int limit) {
                if (batches.size() == 2) {
                    throw new IllegalStateException("connection lost");
                }
                return super.deleteExpired(limit);
            }
        };

        assertThatThrownBy(() -> purge(LONG, failing).run()).hasMessage("connection lost");
        assertThat(events).containsExactly(new RowsPurged("request", 2 * BATCH));
    }

    @Test
    void endsWhenInterruptedAndTellsWhatWasDeleted() {
        Table interrupting = new Table("request", Integer.MAX_VALUE) {
            @Override
            public int deleteExpired(int limit) {
                Thread.currentThread().interrupt();
                return super.deleteExpired(limit);
            }
        };

        assertThatThrownBy(() -> purge(LONG, interrupting).run()).isInstanceOf(InterruptedException.class);
        assertThat(interrupting.batches).hasSize(1);
        assertThat(events).containsExactly(new RowsPurged("request", BATCH));
    }

    private Purge purge(Duration maxDuration, ExpiringTable... tables) {
        return new Purge(List.of(tables), BATCH, Duration.ZERO, maxDuration, listener);
    }

    private static class Table implements ExpiringTable {

        final List<Integer> batches = new ArrayList<>();

        private final String name;

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
        public int deleteExpired(int limit) {
            int deleted = Math.min(limit, expired);
            expired -= deleted;
            batches.add(deleted);
            return deleted;
        }
    }
}
