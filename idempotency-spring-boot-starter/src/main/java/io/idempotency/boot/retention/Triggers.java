package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;

/** When background work starts. */
final class Triggers {

    private Triggers() {}

    static Trigger of(IdempotencyPurgeProperties properties) {
        return properties.cron() == null
                ? every(Objects.requireNonNull(properties.interval()))
                : new CronTrigger(properties.cron());
    }

    /** Only to begin with. */
    static Trigger immediately() {
        return context -> context.getClock().instant();
    }

    /**
     * From one start to the next; what took longer starts again at once, and catches up on nothing. At first some time
     * between half an interval and a whole one, because instances are often started together.
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
