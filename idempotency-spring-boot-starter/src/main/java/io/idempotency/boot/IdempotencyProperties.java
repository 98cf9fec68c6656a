package io.idempotency.boot;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.idempotency.internal.operation.CallOptions;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;
import static io.idempotency.boot.PropertyChecks.requireInRange;

/**
 * The settings of calls and received messages. Each other feature has a properties record of its own in its package.
 *
 * @param enabled Whether annotated methods are idempotent. If not, they run as if they were not annotated.
 * @param schema PostgreSQL schema of the library's tables.
 * @param migrate Whether to create and migrate the tables at start-up. If not, they are only validated.
 * @param sqlFunctions Whether to install the functions for callers that are not Java, and the views for operators, when
 *     the tables are migrated.
 * @param dataSource Name of the DataSource bean to use. By default the primary or only one.
 * @param retention How long a key and its response are kept.
 * @param responseRetention How long a response is kept if its key is kept for longer; a repeat is refused after that.
 *     By default as long as the key.
 * @param minimumRetention Shortest retention of keys and messages that the application may start with: how long after a
 *     call or message its repeat or replay may come. By default any will do.
 * @param waitTimeout How long a call waits at most for another call that holds its key.
 * @param maxWaiting How many calls of this instance may wait at the same time for another call that holds their key.
 *     Less than the server has threads.
 * @param lease How long a leased call holds its key at most if it vanishes. Longer than any leased method runs.
 * @param maxResponseSize Largest response that is stored, as JSON in UTF-8.
 * @param verifyResponses Whether to read back every response before it is stored and to fail the call if a replay would
 *     differ. If not, only the first response of a scope whose type leaves nothing to the value: records of well-known
 *     values.
 * @param pipelinedCommit Whether the response of a call is sent together with the COMMIT, which saves a round trip.
 *     Only with Spring Boot's own transaction manager for plain JDBC.
 * @param recordFailedAttempts Whether failures that are not final leave a row with the number of attempts.
 * @param inbox How received messages are remembered.
 * @param retry How calls are repeated after serialization failures, deadlocks and lost connections.
 * @param sampleInterval Time between two samples of the sizes of the tables, for metrics.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("idempotency") String schema,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("true") boolean sqlFunctions,
        @Nullable String dataSource,
        @DefaultValue("7d") Duration retention,
        @Nullable Duration responseRetention,
        @Nullable Duration minimumRetention,
        @DefaultValue("5s") Duration waitTimeout,
        @DefaultValue("100") int maxWaiting,
        @DefaultValue("60s") Duration lease,
        @DefaultValue("1MB") DataSize maxResponseSize,
        @DefaultValue("false") boolean verifyResponses,
        @DefaultValue("false") boolean pipelinedCommit,
        @DefaultValue("false") boolean recordFailedAttempts,
        @DefaultValue Inbox inbox,
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
        Assert.isTrue(maxWaiting > 0, () -> "idempotency.max-waiting must be at least 1, not " + maxWaiting);
        Assert.isTrue(maxResponseSize.toBytes() > 0, "idempotency.max-response-size must be more than zero");
    }

    /**
     * Settings of received messages.
     *
     * @param retention How long it is known that a message was handled, and how it failed. Longer than a broker or
     *     provider may deliver it again.
     * @param retentionByConsumer The same for the messages of single consumers, whatever their receivers say.
     */
    public record Inbox(
            @DefaultValue("14d") Duration retention,
            @DefaultValue Map<String, Duration> retentionByConsumer) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if the duration is out of range
         */
        public Inbox {
            requireInRange("idempotency.inbox.retention", () -> CallOptions.requireRetention(retention));
            retentionByConsumer.forEach((consumer, ofConsumer) -> requireInRange(
                    "idempotency.inbox.retention-by-consumer." + consumer,
                    () -> CallOptions.requireRetention(ofConsumer)));
            retentionByConsumer = Map.copyOf(retentionByConsumer);
        }
    }

    /**
     * Settings of the retries of calls after serialization failures, deadlocks and lost connections.
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
