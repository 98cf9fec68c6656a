package io.idempotency.boot;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

import io.idempotency.internal.operation.CallTerms;
import io.idempotency.internal.outbox.Lanes;
import io.idempotency.internal.retention.PartitionPeriod;

/**
 * What an application can set.
 *
 * @param enabled Whether annotated methods are idempotent. If not, they run as if they were not annotated.
 * @param schema PostgreSQL schema of the library's tables.
 * @param migrate Whether to create and migrate the tables at start-up. If not, they are only validated.
 * @param sqlFunctions Whether to install the functions for callers that are not Java, and the views for operators, when the
 *     tables are migrated.
 * @param dataSource Name of the DataSource bean to use. By default the primary or only one.
 * @param retention How long a key and its response are kept.
 * @param responseRetention How long a response is kept where its key is kept for longer; a repeat is refused after that. By
 *     default for as long as the key.
 * @param minimumRetention Shortest retention of keys and messages that the application may start with: how long after a
 *     call or message its repeat or replay may come. By default any will do.
 * @param waitTimeout How long a call waits at most for another call that holds its key.
 * @param maxWaiting How many calls of this instance may wait at the same time for another call that holds their key. Less
 *     than the server has threads.
 * @param lease How long a leased call holds its key at most if it vanishes. Longer than any leased method runs.
 * @param maxResponseSize Largest response that is stored, as JSON in UTF-8.
 * @param verifyResponses Whether to read back every response before it is stored and to fail the call if a replay would
 *     differ. If not, only the first response of a scope whose type leaves nothing to the value: records of well-known values.
 * @param pipelinedCommit Whether the response of a call is sent together with the COMMIT, which saves a round trip. Only
 *     with Spring Boot's own transaction manager for plain JDBC.
 * @param recordFailedAttempts Whether failures that are not final leave a row with the number of attempts.
 * @param inbox How received messages are remembered.
 * @param outbox How messages are sent.
 * @param retry How calls are repeated after serialization failures, deadlocks and lost connections.
 * @param migration Who migrates the tables.
 * @param purge When and how expired rows are deleted.
 * @param storage Which tables are in partitions.
 * @param sampleInterval Time between two looks at the sizes of the tables, for metrics.
 * @param logging What is logged of calls and messages.
 * @param tracing What traces show of calls and messages.
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
        @DefaultValue Outbox outbox,
        @DefaultValue Retry retry,
        @DefaultValue Migration migration,
        @DefaultValue Purge purge,
        @DefaultValue Storage storage,
        @DefaultValue("30s") Duration sampleInterval,
        @DefaultValue Logging logging,
        @DefaultValue Tracing tracing) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration or size is not positive
     */
    public IdempotencyProperties {
        requireInRange("idempotency.retention", () -> CallTerms.requireRetention(retention));
        if (responseRetention != null) {
            requireInRange("idempotency.response-retention", () -> CallTerms.requireRetention(responseRetention));
        }
        if (minimumRetention != null) {
            requireInRange("idempotency.minimum-retention", () -> CallTerms.requireRetention(minimumRetention));
        }
        requireAtMostAYear("idempotency.sample-interval", sampleInterval);
        requireInRange("idempotency.wait-timeout", () -> CallTerms.requireWaitTimeout(waitTimeout));
        requireInRange("idempotency.lease", () -> CallTerms.requireLease(lease));
        Assert.isTrue(maxWaiting > 0, () -> "idempotency.max-waiting must be at least 1, not " + maxWaiting);
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

    /** A scheduler cannot wait for more than three hundred years. */
    private static void requireAtMostAYear(String name, Duration duration) {
        Assert.isTrue(
                duration.compareTo(Duration.ofMillis(1)) >= 0 && duration.compareTo(Duration.ofDays(365)) <= 0,
                () -> name + " must be at least one millisecond and at most 365 days, not " + duration);
    }

    /**
     * How received messages are remembered.
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
            requireInRange("idempotency.inbox.retention", () -> CallTerms.requireRetention(retention));
            retentionByConsumer.forEach((consumer, ofConsumer) -> requireInRange(
                    "idempotency.inbox.retention-by-consumer." + consumer,
                    () -> CallTerms.requireRetention(ofConsumer)));
            retentionByConsumer = Map.copyOf(retentionByConsumer);
        }
    }

    /**
     * How messages are sent.
     *
     * @param enabled Whether there is an outbox.
     * @param relay Whether this instance sends messages, and not only publishes them.
     * @param sender Who sends messages, unless the application defines an OutboxSender.
     * @param retention How long a message is kept after it was sent.
     * @param maxPayloadSize Largest payload of a message, as JSON in UTF-8. No larger than the broker takes.
     * @param lanes Number of lanes that ordering keys are divided among; each is sent by one instance at a time.
     * @param batchSize Messages sent in one transaction, roughly.
     * @param pollInterval Time between two looks for messages of other instances, for later and for another attempt.
     * @param notifications Whether instances wake each other by LISTEN and NOTIFY, on one connection each of their pools.
     * @param sendTimeout Time after which a message without an acknowledgement has failed.
     * @param maxAttempts Failures of one message after which it is given up.
     * @param backoff Time between the attempts of one message.
     * @param handlerThreads Messages that methods with @OutboxHandler handle at once.
     * @param sampleInterval Time between two looks at how much waits.
     */
    public record Outbox(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("true") boolean relay,
            @DefaultValue("auto") OutboxSenderKind sender,
            @DefaultValue("3d") Duration retention,
            @DefaultValue("1MB") DataSize maxPayloadSize,
            @DefaultValue("64") int lanes,
            @DefaultValue("100") int batchSize,
            @DefaultValue("1s") Duration pollInterval,
            @DefaultValue("false") boolean notifications,
            @DefaultValue("30s") Duration sendTimeout,
            @DefaultValue("15") int maxAttempts,
            @DefaultValue OutboxBackoff backoff,
            @DefaultValue("4") int handlerThreads,
            @DefaultValue("10s") Duration sampleInterval) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if one of them makes no sense
         */
        public Outbox {
            requireInRange("idempotency.outbox.retention", () -> CallTerms.requireRetention(retention));
            requireInRange("idempotency.outbox.lanes", () -> new Lanes(lanes));
            Assert.isTrue(maxPayloadSize.toBytes() > 0, "idempotency.outbox.max-payload-size must be more than zero");
            Assert.isTrue(batchSize > 0, () -> "idempotency.outbox.batch-size must be at least 1, not " + batchSize);
            Assert.isTrue(
                    maxAttempts > 0, () -> "idempotency.outbox.max-attempts must be at least 1, not " + maxAttempts);
            Assert.isTrue(
                    handlerThreads > 0,
                    () -> "idempotency.outbox.handler-threads must be at least 1, not " + handlerThreads);
            requireAtMostAYear("idempotency.outbox.poll-interval", pollInterval);
            requireAtMostAYear("idempotency.outbox.send-timeout", sendTimeout);
            Assert.isTrue(
                    sendTimeout.compareTo(Duration.ofDays(1)) <= 0,
                    () -> "idempotency.outbox.send-timeout must be at most one day, not " + sendTimeout);
            requireAtMostAYear("idempotency.outbox.sample-interval", sampleInterval);
        }
    }

    /** Who sends the messages of the outbox. */
    public enum OutboxSenderKind {

        /** Kafka where the application has it, or else its own methods with @OutboxHandler. */
        AUTO,

        /** Kafka. */
        KAFKA,

        /** Methods with @OutboxHandler. */
        IN_PROCESS
    }

    /**
     * Time between the attempts of one message.
     *
     * @param delay Time before the second attempt; up to half as much again is added at random.
     * @param multiplier Factor of the delay from one attempt to the next.
     * @param maxDelay Longest time between two attempts.
     */
    public record OutboxBackoff(
            @DefaultValue("1s") Duration delay,
            @DefaultValue("2") double multiplier,
            @DefaultValue("10m") Duration maxDelay) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if one of them makes no sense
         */
        public OutboxBackoff {
            requireAtMostAYear("idempotency.outbox.backoff.delay", delay);
            requireAtMostAYear("idempotency.outbox.backoff.max-delay", maxDelay);
            Assert.isTrue(
                    multiplier >= 1,
                    () -> "idempotency.outbox.backoff.multiplier must be at least 1, not " + multiplier);
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
            requireAtMostAYear("idempotency.retry.delay", delay);
            requireAtMostAYear("idempotency.retry.max-delay", maxDelay);
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
     * @param enabled Whether this instance deletes expired rows by itself.
     * @param interval Time between the starts of two purges. By default one minute, unless there is a cron expression.
     * @param cron When purges start, instead of an interval: a cron expression of Spring's, in the time zone of the JVM.
     * @param batchSize Rows deleted in one transaction, 100,000 at most.
     * @param pause Shortest time between two transactions of one purge, an hour at most. Where the database is slow it
     *     grows to twenty times as much.
     * @param maxDuration Time after which a purge starts no further transaction.
     * @param archive Whether expired rows are moved to the archive tables instead of being deleted.
     */
    public record Purge(
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
         * @throws IllegalArgumentException if one of them makes no sense
         */
        public Purge {
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
                    () -> "idempotency.purge.pause must not be longer than one hour, but is " + pause);
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

    /**
     * How tables keep their rows.
     *
     * @param processedMessages How messages that were handled are kept: as rows that are deleted one by one, or in
     *     partitions of a day, a week or a month that are dropped as a whole. A table that holds rows is put in partitions
     *     by an operator only.
     * @param maintenance Whether this instance makes and drops partitions.
     * @param maintenanceInterval Time between two looks at the partitions.
     * @param maintenanceRole Role to maintain partitions with, if the application's own is not the owner of the tables. The
     *     application's role must be a member of it.
     */
    public record Storage(
            @DefaultValue("rows") StorageLayout processedMessages,
            @DefaultValue("true") boolean maintenance,
            @DefaultValue("1m") Duration maintenanceInterval,
            @Nullable String maintenanceRole) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if the interval is out of range
         */
        public Storage {
            requireAtMostAYear("idempotency.storage.maintenance-interval", maintenanceInterval);
            maintenanceRole = StringUtils.hasText(maintenanceRole) ? maintenanceRole : null;
        }
    }

    /** How a table keeps its rows. */
    public enum StorageLayout {

        /** In one table, from which they are deleted. */
        ROWS,

        /** In partitions of a day, in UTC. */
        DAY,

        /** In partitions of a week, from Monday on, in UTC. */
        WEEK,

        /** In partitions of a month, in UTC. */
        MONTH;

        /**
         * How much time a partition is for.
         *
         * @return nothing if there are none
         */
        public Optional<PartitionPeriod> period() {
            return switch (this) {
                case ROWS -> Optional.empty();
                case DAY -> Optional.of(PartitionPeriod.DAY);
                case WEEK -> Optional.of(PartitionPeriod.WEEK);
                case MONTH -> Optional.of(PartitionPeriod.MONTH);
            };
        }
    }

    /**
     * What is logged of calls and messages.
     *
     * @param keys How keys, callers and message ids are logged.
     */
    public record Logging(@DefaultValue("hashed") KeyDisplay keys) {}

    /**
     * What traces show of calls and messages.
     *
     * @param keys How traces show keys, callers and message ids.
     */
    public record Tracing(@DefaultValue("omitted") KeyDisplay keys) {}

    /** How a key is displayed, with its caller. */
    public enum KeyDisplay {

        /** As it is. */
        SHOWN,

        /** As the first 16 bytes of a SHA-256, which is the primary key of its row. */
        HASHED,

        /** Not at all. */
        OMITTED
    }
}
