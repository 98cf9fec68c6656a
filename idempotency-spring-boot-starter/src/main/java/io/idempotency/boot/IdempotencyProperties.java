package io.idempotency.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.idempotency.operation.CallTerms;

/**
 * What an application can set.
 *
 * @param enabled Whether annotated methods are idempotent. If not, they run as if they were not annotated.
 * @param schema PostgreSQL schema of the library's tables.
 * @param migrate Whether to create and migrate the tables at start-up. If not, they are only validated.
 * @param dataSource Name of the DataSource bean to use. By default the primary or only one.
 * @param retention How long a key and its response are kept.
 * @param waitTimeout How long a call waits at most for another call that holds its key.
 * @param lease How long a leased call holds its key at most if it vanishes. Longer than any leased method runs.
 * @param maxResponseSize Largest response that is stored, as JSON in UTF-8.
 * @param verifyResponses Whether to read back every response before it is stored and to fail the call if a replay would
 *     differ.
 * @param recordFailedAttempts Whether failures that are not final leave a row with the number of attempts.
 * @param inbox How received messages are remembered.
 * @param retry How calls are repeated after serialization failures, deadlocks and lost connections.
 * @param migration Who migrates the tables.
 * @param purge When and how expired rows are deleted.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("idempotency") String schema,
        @DefaultValue("true") boolean migrate,
        @Nullable String dataSource,
        @DefaultValue("7d") Duration retention,
        @DefaultValue("5s") Duration waitTimeout,
        @DefaultValue("60s") Duration lease,
        @DefaultValue("1MB") DataSize maxResponseSize,
        @DefaultValue("false") boolean verifyResponses,
        @DefaultValue("false") boolean recordFailedAttempts,
        @DefaultValue Inbox inbox,
        @DefaultValue Retry retry,
        @DefaultValue Migration migration,
        @DefaultValue Purge purge) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration or size is not positive
     */
    public IdempotencyProperties {
        requireInRange("idempotency.retention", () -> CallTerms.requireRetention(retention));
        requireInRange("idempotency.wait-timeout", () -> CallTerms.requireWaitTimeout(waitTimeout));
        requireInRange("idempotency.lease", () -> CallTerms.requireLease(lease));
        Assert.isTrue(maxResponseSize.toBytes() > 0, "idempotency.max-response-size must be more than zero");
    }

    private static void requireInRange(String name, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException outOfRange) {
            // Without its cause, which the report of a failed binding would show instead.
            throw new IllegalArgumentException(name + ": " + outOfRange.getMessage());
        }
    }

    private static void requirePositive(String name, Duration duration) {
        Assert.isTrue(duration.toMillis() > 0, () -> name + " must be at least one millisecond, not " + duration);
    }

    /**
     * How received messages are remembered.
     *
     * @param retention How long it is known that a message was handled, and how it failed. Longer than a broker or
     *     provider may deliver it again.
     */
    public record Inbox(@DefaultValue("14d") Duration retention) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if the duration is out of range
         */
        public Inbox {
            requireInRange("idempotency.inbox.retention", () -> CallTerms.requireRetention(retention));
        }
    }

    /**
     * How calls are repeated after serialization failures, deadlocks and lost connections.
     *
     * @param maxAttempts Executions of one call at most, the first one included.
     * @param delay Time before the first repeat; up to half as much again is added at random.
     * @param multiplier Factor of the delay from one repeat to the next.
     * @param maxDelay Longest time between two executions.
     * @param timeout Time after which no further execution is started; 0 for none.
     */
    public record Retry(
            @DefaultValue("4") int maxAttempts,
            @DefaultValue("50ms") Duration delay,
            @DefaultValue("2") double multiplier,
            @DefaultValue("1s") Duration maxDelay,
            @DefaultValue("30s") Duration timeout) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if one of them makes no sense
         */
        public Retry {
            Assert.isTrue(
                    maxAttempts > 0, () -> "idempotency.retry.max-attempts must be at least 1, not " + maxAttempts);
            Assert.isTrue(multiplier >= 1, () -> "idempotency.retry.multiplier must be at least 1, not " + multiplier);
            requirePositive("idempotency.retry.delay", delay);
            requirePositive("idempotency.retry.max-delay", maxDelay);
            Assert.isTrue(!timeout.isNegative(), "idempotency.retry.timeout must not be negative");
        }
    }

    /**
     * Who migrates the tables.
     *
     * @param url JDBC URL to migrate with. By default that of the DataSource.
     * @param user Role to migrate with, if the application's own may not create tables. It becomes the owner of the
     *     tables and grants the application's role what that needs.
     * @param password Password of the role to migrate with.
     */
    public record Migration(
            @Nullable String url,
            @Nullable String user,
            @Nullable String password) {}

    /**
     * When and how expired rows are deleted.
     *
     * @param enabled Whether this instance deletes expired rows.
     * @param interval Time between the end of one purge and the start of the next.
     * @param batchSize Rows deleted in one transaction.
     * @param pause Time between two transactions of one purge.
     * @param maxDuration Time after which a purge starts no further transaction.
     */
    public record Purge(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1m") Duration interval,
            @DefaultValue("1000") int batchSize,
            @DefaultValue("100ms") Duration pause,
            @DefaultValue("30s") Duration maxDuration) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if one of them makes no sense
         */
        public Purge {
            requirePositive("idempotency.purge.interval", interval);
            requirePositive("idempotency.purge.max-duration", maxDuration);
            Assert.isTrue(!pause.isNegative(), "idempotency.purge.pause must not be negative");
            Assert.isTrue(batchSize > 0, () -> "idempotency.purge.batch-size must be at least 1, not " + batchSize);
        }
    }
}
