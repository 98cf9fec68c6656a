package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** What calls notice of a purge: measured side by side, in phases with and without it. */
@PostgresTest
@Tag("race")
@Tag("full")
class PurgeLoadTest {

    private static final int KEPT = TestSize.pick(16_000, 4_000_000);

    private static final int EXPIRED = TestSize.pick(4_000, 1_000_000);

    private static final int CALLERS = 4;

    private static final int ROUNDS = TestSize.pick(2, 7);

    private static final Duration PHASE = TestSize.pick(Duration.ofMillis(300), Duration.ofSeconds(10));

    private static final double HIGHEST_RATIO = 1.5;

    private static final long MEGABYTE = 1 << 20;

    private static final long FLAT = 32 * MEGABYTE;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    PurgeLoadTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @Test
    void expiredRowsGoAndCallsHardlyNotice() throws Exception {
        Notebook.createTable(admin);
        try (ConfigurableApplicationContext application = start()) {
            Notebook notebook = application.getBean(Notebook.class);
            Purge purge = application.getBean(Purge.class);
            fill();
            calls(notebook, PHASE);

            long heapBefore = usedHeap();
            List<Double> without = new ArrayList<>();
            List<Double> with = new ArrayList<>();
            long purgedBeside = 0;
            long callsBeside = 0;
            for (int round = 0; round < ROUNDS; round++) {
                without.add(percentile99(calls(notebook, PHASE)));
                ConcurrentCalls<PurgeReport> purging = ConcurrentCalls.start(1, () -> purge.run(PHASE));
                long[] calls = calls(notebook, PHASE);
                with.add(percentile99(calls));
                callsBeside += calls.length;
                long rows = purging.await().requireAllSucceeded().get(0).total();
                purgedBeside += rows;
                print(
                        "round %d: p99 of calls %.2f ms without, %.2f ms with the purge of %,d rows beside %,d calls",
                        round + 1, without.get(round), with.get(round), rows, calls.length);
            }
            long start = System.nanoTime();
            PurgeReport rest = nonstop(application).run();
            double restSeconds = (System.nanoTime() - start) / 1e9;
            long heapAfter = usedHeap();

            double ratio = median(with) / median(without);
            double phases = ROUNDS * PHASE.toMillis() / 1e3;
            print(
                    "p99 of %d callers %.2f ms without, %.2f ms with the purge: %.2f times. Purge: %,.0f rows/s beside"
                            + " %,.0f calls/s, %,.0f rows/s alone without pauses. Heap: %,d MB before, %,d MB after",
                    CALLERS,
                    median(without),
                    median(with),
                    ratio,
                    purgedBeside / phases,
                    callsBeside / phases,
                    rest.total() / restSeconds,
                    heapBefore / MEGABYTE,
                    heapAfter / MEGABYTE);
            assertThat(rest.end()).isEqualTo(End.NOTHING_LEFT);
            assertThat(purgedBeside + rest.total()).isEqualTo(EXPIRED);
            assertThat(rowsOf("old")).isEqualTo(KEPT);
            assertThat(rowsOf("notes")).isEqualTo(Notebook.count(admin));
            if (TestSize.current() == TestSize.LONG) {
                assertThat(ratio).isLessThanOrEqualTo(HIGHEST_RATIO);
                assertThat(heapAfter - heapBefore).isLessThan(FLAT);
            }
        }
    }

    private ConfigurableApplicationContext start() {
        // The full size with what everybody has by default.
        String[] properties = TestSize.pick(
                new String[] {
                    "idempotency.purge.enabled=false", "idempotency.purge.batch-size=100", "idempotency.purge.pause=5ms"
                },
                new String[] {"idempotency.purge.enabled=false"});
        return JdbcTestApplication.start(database, new Class<?>[] {Notebook.class}, properties);
    }

    private static Purge nonstop(ConfigurableApplicationContext application) {
        return new Purge(
                application.getBean(PurgeStore.class),
                new PurgeSettings(1000, Duration.ZERO, Duration.ofHours(1)),
                new IdempotencyListener() {});
    }

    /** As after days of work: what has expired lies among what has not, in pages as in indexes. */
    private void fill() {
        admin.update("""
                insert into idempotency.idempotency_request (
                    request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                    response_body, claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at)
                select gen_random_uuid(), 'old', '', 'key-' || i, '\\x01', 1, 'succeeded', ?::json, 'test', now(), 1,
                       now(), now(),
                       now() - i * interval '1 millisecond' + case when i % ? = 0 then interval '0' else interval '30 days' end
                from generate_series(1, ?) i""", "{\"answer\": \"" + "x".repeat(150) + "\"}", (KEPT + EXPIRED) / EXPIRED, KEPT + EXPIRED);
        admin.execute("vacuum (analyze) idempotency.idempotency_request");
        admin.execute("checkpoint");
    }

    /** The times of calls with new keys, one behind the other in each of some threads. */
    private static long[] calls(Notebook notebook, Duration time) {
        return ConcurrentCalls.run(CALLERS, () -> {
                    LongStream.Builder times = LongStream.builder();
                    long end = System.nanoTime() + time.toNanos();
                    for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                        notebook.write(UUID.randomUUID().toString(), "text");
                        times.add(System.nanoTime() - now);
                    }
                    return times.build().toArray();
                })
                .requireAllSucceeded()
                .stream()
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    private int rowsOf(String scope) {
        return admin.queryForObject(
                "select count(*) from idempotency.idempotency_request where idempotency_scope = ?",
                Integer.class,
                scope);
    }

    /** In milliseconds. */
    private static double percentile99(long[] nanoseconds) {
        long[] sorted = nanoseconds.clone();
        Arrays.sort(sorted);
        return sorted[(int) (sorted.length * 0.99)] / 1e6;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
