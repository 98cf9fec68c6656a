package io.idempotency.boot.retention;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

import static org.assertj.core.api.Assertions.assertThat;

class TriggersTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final Trigger trigger = Triggers.every(INTERVAL);

    private final SimpleTriggerContext context = new SimpleTriggerContext(Clock.fixed(NOW, ZoneOffset.UTC));

    @Test
    void beginSomewhereInTheSecondHalfOfTheFirstInterval() {
        Set<Instant> first = IntStream.range(0, 100)
                .mapToObj(i -> trigger.nextExecution(context))
                .collect(Collectors.toSet());

        assertThat(first)
                .hasSizeGreaterThan(50)
                .allSatisfy(start -> assertThat(start).isBetween(NOW.plusSeconds(30), NOW.plusSeconds(60)));
    }

    @Test
    void goOnFromStartToStartAndCatchUpOnNothing() {
        context.update(NOW, NOW.plusSeconds(10), NOW.plusSeconds(15));
        assertThat(trigger.nextExecution(context)).isEqualTo(NOW.plusSeconds(70));

        context.update(NOW, NOW.plusSeconds(10), NOW.plusSeconds(1_000));
        assertThat(trigger.nextExecution(context)).isEqualTo(NOW.plusSeconds(70));
    }
}
