package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;

/** Triggers of the background tasks. */
public final class Triggers {

    private Triggers() {}

    static Trigger of(IdempotencyPurgeProperties properties) {
        return properties.cron() == null
                ? every(Objects.requireNonNull(properties.interval()))
                : new CronTrigger(properties.cron());
    }

    /**
     * Returns a trigger that fires an interval after the last start. Missed runs are skipped. The first run starts at
     * random after half an interval to a whole one, because instances are often started together.
     */
    public static Trigger every(Duration interval) {
        return context -> {
            Instant last = context.lastActualExecution();
            return last == null ? context.getClock().instant().plus(jittered(interval)) : last.plus(interval);
        };
    }

    private static Duration jittered(Duration interval) {
        return Duration.ofMillis(
                Math.round(interval.toMillis() * ThreadLocalRandom.current().nextDouble(0.5, 1)));
    }
}
