package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Callers that go on all the time, and how long their calls take while something else happens. */
final class Foreground {

    static final int CALLERS = 4;

    /** In which nobody disturbs them, to compare with; and for which they are looked at from the disturbance on, at least. */
    private static final Duration PHASE = TestSize.pick(Duration.ofMillis(500), Duration.ofSeconds(30));

    /** With a machine that has other things to do. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private Foreground() {}

    /** All of the calls succeed, or there are no figures. */
    static Figures meanwhile(Caller caller, ConcurrentCalls.Action work) throws Exception {
        Queue<Call> calls = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        ConcurrentCalls<Void> callers = ConcurrentCalls.start(CALLERS, () -> {
            while (!over.get()) {
                try (Connected connected = caller.connect()) {
                    for (int i = 0; i < 1_000 && !over.get(); i++) {
                        long start = System.nanoTime();
                        connected.call();
                        calls.add(new Call(start, System.nanoTime()));
                    }
                }
            }
        });
        long begin;
        long end;
        try {
            Awaitility.await().timeout(PATIENCE).until(() -> calls.size() > 1_000);
            calls.clear();
            awaitPhaseFrom(System.nanoTime());
            Awaitility.await().timeout(PATIENCE).until(() -> !calls.isEmpty());
            begin = System.nanoTime();
            work.run();
            end = System.nanoTime();
            awaitPhaseFrom(begin);
        } finally {
            over.set(true);
        }
        callers.await(Duration.ofMinutes(1)).requireAllSucceeded();
        List<Duration> undisturbed = sorted(calls.stream().filter(call -> call.end() < begin));
        List<Duration> meanwhile = sorted(calls.stream().filter(call -> call.end() >= begin && call.start() <= end));
        List<Duration> fromThenOn = sorted(calls.stream().filter(call -> call.end() >= begin));
        return new Figures(
                percentile(undisturbed, 0.99),
                percentile(fromThenOn, 0.99),
                meanwhile.size(),
                percentile(meanwhile, 0.99),
                percentile(meanwhile, 1),
                Duration.ofNanos(end - begin));
    }

    private static void awaitPhaseFrom(long start) {
        Awaitility.await().timeout(PHASE.plus(PATIENCE)).until(() -> System.nanoTime() - start >= PHASE.toNanos());
    }

    private static List<Duration> sorted(Stream<Call> calls) {
        return calls.map(Call::took).sorted().toList();
    }

    private static Duration percentile(List<Duration> sorted, double share) {
        assertThat(sorted).isNotEmpty();
        return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }

    interface Caller {

        /** Anew from time to time. */
        Connected connect() throws SQLException;
    }

    interface Connected extends AutoCloseable {

        void call() throws SQLException;

        @Override
        void close() throws SQLException;
    }

    private record Call(long start, long end) {

        Duration took() {
            return Duration.ofNanos(end - start);
        }
    }

    /**
     * Times of calls.
     *
     * @param before the 99th percentile while nobody disturbed
     * @param fromThenOn the 99th percentile from the beginning of the disturbance on, for as long as before or as it took
     * @param calls how many were in flight meanwhile
     * @param meanwhile the 99th percentile of those
     * @param longest of those
     * @param took how long all of that took which went on meanwhile
     */
    record Figures(
            Duration before, Duration fromThenOn, int calls, Duration meanwhile, Duration longest, Duration took) {

        void print(String what, long forgotten, long all, long bytesBefore, long bytesAfter) {
            System.out.printf(
                    Locale.ROOT,
                    "%nForgetting %s beside %d callers; 99th percentiles in microseconds%n"
                            + "| forgotten | of | took | before | from then on | ratio | meanwhile | of calls | longest"
                            + " | MiB before | MiB after |%n"
                            + "|---|---|---|---|---|---|---|---|---|---|---|%n"
                            + "| %d | %d | %d ms | %d | %d | %.2f | %d | %d | %d | %d | %d |%n",
                    what,
                    CALLERS,
                    forgotten,
                    all,
                    took.toMillis(),
                    before.toNanos() / 1_000,
                    fromThenOn.toNanos() / 1_000,
                    (double) fromThenOn.toNanos() / before.toNanos(),
                    meanwhile.toNanos() / 1_000,
                    calls,
                    longest.toNanos() / 1_000,
                    bytesBefore >> 20,
                    bytesAfter >> 20);
        }
    }
}
