package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;

/** Triggers of the background tasks. */
final class Triggers {

    private Triggers() {}

    static Trigger of(IdempotencyPurgeProperties properties) {
        return properties.cron() == null
                ? every(Objects.requireNonNull(properties.interval()))
                : new CronTrigger(properties.cron());
    }

    /** Triggers now. For the first run only. */
    static Trigger immediately() {
        return context -> context.getClock().instant();
    }

    /**
     * Triggers an interval after the last start; runs that were missed are not made up for. The first run starts after
     * half an interval to a whole one, at random, because instances are often started together.
     */
    static Trigger every(Duration interval) {
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
