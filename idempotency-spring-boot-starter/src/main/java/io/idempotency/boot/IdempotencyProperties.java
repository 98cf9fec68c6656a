package io.idempotency.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.idempotency.internal.operation.CallOptions;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;
import static io.idempotency.boot.PropertyChecks.requireInRange;
import static io.idempotency.boot.PropertyChecks.text;

/**
 * The settings of calls. Each other feature has a properties record of its own in its package.
 *
 * @param enabled Whether annotated methods are idempotent. If not, they run as if they were not annotated.
 * @param schema PostgreSQL schema of the library's tables.
 * @param application Name of the application to which scopes, consumers and topics belong. Applications that share keys and
 *     messages on purpose have the same. By default, spring.application.name.
 * @param migrate Whether to create and migrate the tables at start-up. If not, they are only validated.
 * @param verifyEngine Whether to check at start-up that a key can be claimed only once in the database, by claiming one
 *     on two connections. Nothing is committed.
 * @param sqlFunctions Whether to install the functions for clients in SQL and the views for operators when the tables are
 *     migrated.
 * @param dataSource Name of the DataSource bean to use. By default, the primary or only one.
 * @param retention Time for which a key and its response are kept.
 * @param responseRetention Time for which a response is kept. After that, a repeat is refused. By default, the
 *     retention of the key.
 * @param minimumRetention Shortest retention of keys and messages with which the application starts: the longest time
 *     after which a repeat may arrive. By default, the longest of one minute, the wait timeout and the lease.
 * @param waitTimeout Longest time that a call waits for another call that holds its key.
 * @param maxWaiting Largest number of calls of this instance that wait at the same time for another call that holds
 *     their key.
 * @param maxWaitingInAll Largest number of calls of this instance that wait at the same time, whatever their keys are.
 *     Must be less than the number of threads of the server. By default, one and a half times as many as for one key.
 * @param lease Time for which the key of a leased call stays blocked after its process has ended. It is renewed while the
 *     method runs.
 * @param maxLease Longest time after its claim to which the lease of a running call is renewed. Must not be shorter than
 *     the lease.
 * @param maxResponseSize Largest size of a stored response, as JSON in UTF-8.
 * @param verifyResponses Whether every response is read back before it is stored, so that a call fails if its replay
 *     would differ. If not, short responses that are records of simple values are read back only once for each scope.
 * @param recordFailedAttempts Whether failures that are not final are stored with the number of attempts.
 * @param retry Settings of the retries of calls after serialization failures, deadlocks and lost connections.
 * @param sampleInterval Time between two samples of the tables, for metrics and health.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("idempotency") String schema,
        @Nullable String application,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("true") boolean verifyEngine,
        @DefaultValue("false") boolean sqlFunctions,
        @Nullable String dataSource,
        @DefaultValue("7d") Duration retention,
        @Nullable Duration responseRetention,
        @Nullable Duration minimumRetention,
        @DefaultValue("5s") Duration waitTimeout,
        @DefaultValue("100") int maxWaiting,
        @Nullable Integer maxWaitingInAll,
        @DefaultValue("60s") Duration lease,
        @DefaultValue("15m") Duration maxLease,
        @DefaultValue("1MB") DataSize maxResponseSize,
        @DefaultValue("false") boolean verifyResponses,
        @DefaultValue("false") boolean recordFailedAttempts,
        @DefaultValue Retry retry,
        @DefaultValue("30s") Duration sampleInterval) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration or size is not positive
     */
    public IdempotencyProperties {
        requireInRange("idempotency.retention", () -> CallOptions.requireRetention(retention));
        if (responseRetention != null) {
            requireInRange("idempotency.response-retention", () -> CallOptions.requireRetention(responseRetention));
        }
        if (minimumRetention != null) {
            requireInRange("idempotency.minimum-retention", () -> CallOptions.requireRetention(minimumRetention));
        }
        requireAtMostAYear("idempotency.sample-interval", sampleInterval);
        requireInRange("idempotency.wait-timeout", () -> CallOptions.requireWaitTimeout(waitTimeout));
        requireInRange("idempotency.lease", () -> CallOptions.requireLease(lease));
        requireInRange("idempotency.max-lease", () -> CallOptions.requireLease(maxLease));
        Assert.isTrue(
                maxLease.compareTo(lease) >= 0,
                () -> "idempotency.max-lease = " + text(maxLease) + " is shorter than idempotency.lease = "
                        + text(lease) + ": raise it to the longest time that a leased method runs, or lower the lease");
        Assert.isTrue(maxWaiting > 0, () -> "idempotency.max-waiting must be at least 1, not " + maxWaiting);
        Assert.isTrue(
                maxWaitingInAll == null || maxWaitingInAll > 0,
                () -> "idempotency.max-waiting-in-all must be at least 1, not " + maxWaitingInAll);
        Assert.isTrue(maxResponseSize.toBytes() > 0, "idempotency.max-response-size must be more than zero");
    }

    int mostWaiting() {
        return maxWaitingInAll == null ? (int) Math.min(Integer.MAX_VALUE, maxWaiting * 3L / 2) : maxWaitingInAll;
    }

    /**
     * Settings of the retries of calls after serialization failures, deadlocks and lost connections.
     *
     * @param maxAttempts Largest number of executions of one call, including the first.
     * @param delay Time before the first retry, plus a random part of up to half of it.
     * @param multiplier Factor by which the delay grows with each retry.
     * @param maxDelay Longest delay between two executions.
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
         * @throws IllegalArgumentException if a value is out of range
         */
        public Retry {
            Assert.isTrue(
                    maxAttempts > 0, () -> "idempotency.retry.max-attempts must be at least 1, not " + maxAttempts);
            Assert.isTrue(multiplier >= 1, () -> "idempotency.retry.multiplier must be at least 1, not " + multiplier);
            requireAtMostAYear("idempotency.retry.delay", delay);
            requireAtMostAYear("idempotency.retry.max-delay", maxDelay);
            Assert.isTrue(!timeout.isNegative(), "idempotency.retry.timeout must not be negative");
        }
    }
}
