package io.idempotency.boot.retention;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import io.idempotency.boot.PropertyChecks;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;

/**
 * Settings of the purge of expired rows.
 *
 * @param enabled Whether this instance regularly deletes expired rows.
 * @param interval Time between the starts of two purges. By default, one minute, unless there is a cron expression.
 * @param cron Spring cron expression for the start of purges, in the time zone of the JVM. Replaces the interval.
 * @param batchSize Number of rows deleted in one transaction, at most 100,000.
 * @param pause Shortest time between two transactions of one purge, at most one hour. If the database is slow, it grows
 *     up to twenty times.
 * @param maxDuration Time after which a purge starts no further transaction.
 * @param archive Whether expired rows are moved to the archive tables instead of being deleted.
 */
@ConfigurationProperties("idempotency.purge")
public record IdempotencyPurgeProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Duration interval,
        @Nullable String cron,
        @DefaultValue("1000") int batchSize,
        @DefaultValue("100ms") Duration pause,
        @DefaultValue("1m") Duration maxDuration,
        @DefaultValue("false") boolean archive) {

    private static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(1);

    private static final int LARGEST_BATCH = 100_000;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public IdempotencyPurgeProperties {
        cron = StringUtils.hasText(cron) ? cron : null;
        if (cron == null) {
            interval = interval == null ? DEFAULT_INTERVAL : interval;
            requireAtMostAYear("idempotency.purge.interval", interval);
        } else {
            Assert.isNull(
                    interval,
                    "idempotency.purge.interval and idempotency.purge.cron exclude each other: remove one of them");
            requireCron(cron);
        }
        requireAtMostAYear("idempotency.purge.max-duration", maxDuration);
        Assert.isTrue(!pause.isNegative(), "idempotency.purge.pause must not be negative");
        Assert.isTrue(
                pause.compareTo(Duration.ofHours(1)) <= 0,
                () -> "idempotency.purge.pause must not be longer than one hour, but is " + PropertyChecks.text(pause));
        Assert.isTrue(
                batchSize > 0 && batchSize <= LARGEST_BATCH,
                () -> "idempotency.purge.batch-size must be at least 1 and at most " + LARGEST_BATCH + ", not "
                        + batchSize);
    }

    private static void requireCron(String cron) {
        try {
            CronExpression.parse(cron);
        } catch (IllegalArgumentException malformed) {
            // Without its cause, which the report of a failed binding would show instead.
            throw new IllegalArgumentException(
                    "idempotency.purge.cron = '" + cron + "' is not a cron expression: " + malformed.getMessage());
        }
    }
}
