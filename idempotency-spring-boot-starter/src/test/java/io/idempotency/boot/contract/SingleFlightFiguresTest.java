package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.contract.Callers.Call;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long calls take while a storm of duplicates of another key waits: prints the figures, which depend on the machine,
 * and asserts that nothing but the time differs. Both are measured in turns, so that they meet the same machine.
 */
@ContractTest
@Tag("race")
@EnabledIfSystemProperty(named = "idempotency.test.size", matches = "long")
class SingleFlightFiguresTest {

    private static final int ROUNDS = 10;

    private static final int CLIENTS = 2;

    private static final int STORM = 500;

    private final ContractApplication application;

    private final Payments payments;

    private final AtomicInteger otherKeys = new AtomicInteger();

    SingleFlightFiguresTest(ContractApplications applications) {
        application = applications.start(
                List.of(Slow.class),
                "spring.datasource.hikari.maximum-pool-size=5",
                "idempotency.max-waiting=" + STORM);
        payments = application.payments();
    }

    @Test
    void callsWithOtherKeysWhileAStormOfDuplicatesWaits() {
        List<Long> alone = new ArrayList<>();
        List<Long> inTheStorm = new ArrayList<>();
        Slow slow = application.bean(Slow.class);
        try (Callers duplicates = Callers.onPlatformThreads();
                Callers clients = Callers.onPlatformThreads()) {
            measure(clients, () -> slow.call("warm-up"));
            for (int round = 0; round < ROUNDS; round++) {
                String key = "round-" + round;
                alone.addAll(measure(clients, () -> slow.call("alone-" + key)));
                inTheStorm.addAll(measure(clients, () -> {
                    List<Call<String>> answers = duplicates.start(STORM, () -> slow.call(key));
                    assertThat(answers)
                            .extracting(Call::answer)
                            .hasSize(STORM)
                            .containsOnly(answers.get(0).answer());
                    return key;
                }));
            }
            assertThat(slow.executions()).isEqualTo(1 + 2 * ROUNDS);
            assertThat(application.effects()).isEqualTo(otherKeys.get());
        }
        print("alone", alone);
        print("in the storm", inTheStorm);
    }

    /** Calls with ever new keys while something else goes on, in nanoseconds each. */
    private List<Long> measure(Callers clients, Callable<String> meanwhile) {
        AtomicBoolean over = new AtomicBoolean();
        List<Call<List<Long>>> samples = clients.start(CLIENTS, () -> {
            List<Long> nanos = new ArrayList<>();
            while (!over.get()) {
                String key = "other-" + otherKeys.incrementAndGet();
                long start = System.nanoTime();
                payments.pay(key, new PayCommand("a" + (nanos.size() % 100 + 1), 1));
                nanos.add(System.nanoTime() - start);
            }
            return nanos;
        });
        try {
            assertThat(meanwhile.call()).isNotNull();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        } finally {
            over.set(true);
        }
        return samples.stream().flatMap(sample -> sample.answer().stream()).toList();
    }

    private static void print(String name, List<Long> nanos) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        System.out.printf(
                "FIGURES single flight: calls with other keys, %-12s: %,d calls, p50 %s, p99 %s, max %s%n",
                name, sorted.size(), at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
    }

    private static String at(List<Long> sorted, double share) {
        int index = Math.min(sorted.size() - 1, (int) (sorted.size() * share));
        return Duration.ofNanos(sorted.get(index)).toNanos() / 1_000 + " us";
    }

    /** A call of two seconds. */
    static class Slow {

        private final JdbcTemplate jdbc;

        private final AtomicInteger executions = new AtomicInteger();

        Slow(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        int executions() {
            return executions.get();
        }

        @Transactional
        @Idempotent(scope = "slow", key = "#key", waitTimeout = "30s")
        public String call(String key) {
            jdbc.queryForList("select pg_sleep(2)");
            return key + " in execution " + executions.incrementAndGet();
        }
    }
}
