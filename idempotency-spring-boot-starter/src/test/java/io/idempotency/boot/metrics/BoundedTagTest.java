package io.idempotency.boot.metrics;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import io.idempotency.Outcome;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.observation.CallCompleted;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** A scope with a key in it, which the library cannot forbid, does not fill the memory with meters. */
class BoundedTagTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final CallMeters meters = new CallMeters(registry);

    @Test
    void tooManyScopesAreCountedTogetherAndWarnedAboutOnce() {
        try (LogLines log = LogLines.of(BoundedTag.class.getName())) {
            for (int i = 0; i < BoundedTag.LIMIT + 10; i++) {
                complete("order-" + i);
                complete("order-" + i);
            }
            complete("order-0");

            assertThat(registry.getMeters()).hasSize(BoundedTag.LIMIT + 1);
            assertThat(calls("other")).isEqualTo(20);
            assertThat(calls("order-0")).isEqualTo(3);
            assertThat(log.all()).singleElement().satisfies(line -> {
                assertThat(line.getLevel()).isEqualTo(Level.WARN);
                assertThat(line.getFormattedMessage()).contains("500 values of the tag 'scope'", "literals");
            });
        }
    }

    @Test
    void theLimitHoldsForManyThreadsAtOnce() {
        BoundedTag tag = new BoundedTag("scope", 10);

        List<String> values = ConcurrentCalls.run(
                        8,
                        thread -> IntStream.range(0, 100)
                                .mapToObj(i -> tag.valueOf("scope-" + i))
                                .toList())
                .requireAllSucceeded()
                .stream()
                .flatMap(List::stream)
                .distinct()
                .toList();

        assertThat(values).hasSize(11).contains("other");
    }

    private void complete(String scope) {
        meters.callCompleted(new CallCompleted(scope, null, Outcome.EXECUTED, 1, Duration.ofMillis(1), null));
    }

    private long calls(String scope) {
        return registry.get("idempotency.calls").tag("scope", scope).timer().count();
    }
}
