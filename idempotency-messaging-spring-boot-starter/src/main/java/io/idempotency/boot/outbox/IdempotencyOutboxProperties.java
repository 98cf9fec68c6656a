package io.idempotency.boot.outbox;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.idempotency.boot.PropertyChecks;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.outbox.Lanes;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;
import static io.idempotency.boot.PropertyChecks.requireInRange;

/**
 * Settings of the outbox and of its relay.
 *
 * @param enabled Whether the application has an outbox.
 * @param relay Whether this instance sends messages. If not, it only publishes them.
 * @param sender Sender of the messages, unless the application defines an OutboxSender.
 * @param retention Time for which a message is kept after it was sent.
 * @param maxPayloadSize Largest size of a payload, as JSON in UTF-8. Must not exceed the limit of the broker.
 * @param lanes Number of lanes among which ordering keys are divided. Each lane is sent by one instance at a time.
 * @param batchSize Approximate number of messages sent in one transaction.
 * @param pollInterval Time between two polls for messages of other instances, delayed messages and further attempts, and
 *     for calls to resume.
 * @param notifications Whether instances wake each other by LISTEN and NOTIFY. Each then keeps one connection of its
 *     pool.
 * @param sendTimeout Time after which an attempt without an acknowledgement has failed, and for which a shutdown waits for
 *     resumed calls.
 * @param maxAttempts Number of failed attempts after which a message or a resumed call is given up.
 * @param backoff Settings of the time between the attempts of one message or resumed call.
 * @param handlerThreads Number of messages that methods with @OutboxHandler handle at the same time, and number of calls
 *     that are resumed at the same time.
 * @param sampleInterval Time between two samples of the outbox, for metrics and health.
 */
@ConfigurationProperties("idempotency.outbox")
public record IdempotencyOutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("true") boolean relay,
        @DefaultValue("auto") Sender sender,
        @DefaultValue("3d") Duration retention,
        @DefaultValue("1MB") DataSize maxPayloadSize,
        @DefaultValue("64") int lanes,
        @DefaultValue("100") int batchSize,
        @DefaultValue("1s") Duration pollInterval,
        @DefaultValue("false") boolean notifications,
        @DefaultValue("30s") Duration sendTimeout,
        @DefaultValue("15") int maxAttempts,
        @DefaultValue Backoff backoff,
        @DefaultValue("4") int handlerThreads,
        @DefaultValue("10s") Duration sampleInterval) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public IdempotencyOutboxProperties {
        requireInRange("idempotency.outbox.retention", () -> CallOptions.requireRetention(retention));
        requireInRange("idempotency.outbox.lanes", () -> new Lanes(lanes));
        Assert.isTrue(maxPayloadSize.toBytes() > 0, "idempotency.outbox.max-payload-size must be more than zero");
        Assert.isTrue(batchSize > 0, () -> "idempotency.outbox.batch-size must be at least 1, not " + batchSize);
        Assert.isTrue(maxAttempts > 0, () -> "idempotency.outbox.max-attempts must be at least 1, not " + maxAttempts);
        Assert.isTrue(
                handlerThreads > 0,
                () -> "idempotency.outbox.handler-threads must be at least 1, not " + handlerThreads);
        requireAtMostAYear("idempotency.outbox.poll-interval", pollInterval);
        requireAtMostAYear("idempotency.outbox.send-timeout", sendTimeout);
        Assert.isTrue(
                sendTimeout.compareTo(Duration.ofDays(1)) <= 0,
                () -> "idempotency.outbox.send-timeout must be at most one day, not "
                        + PropertyChecks.text(sendTimeout));
        requireAtMostAYear("idempotency.outbox.sample-interval", sampleInterval);
    }

    /** The senders of the messages of the outbox. */
    public enum Sender {

        /** Kafka if the application has it, or else RabbitMQ, or else its methods with @OutboxHandler. */
        AUTO,

        /** Kafka. */
        KAFKA,

        /** RabbitMQ. */
        RABBIT,

        /** Methods with @OutboxHandler. */
        IN_PROCESS
    }

    /**
     * Settings of the time between the attempts of one message.
     *
     * @param delay Time before the second attempt, plus a random part of up to half of it.
     * @param multiplier Factor by which the delay grows with each attempt.
     * @param maxDelay Longest delay between two attempts.
     */
    public record Backoff(
            @DefaultValue("1s") Duration delay,
            @DefaultValue("2") double multiplier,
            @DefaultValue("10m") Duration maxDelay) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if a value is out of range
         */
        public Backoff {
            requireAtMostAYear("idempotency.outbox.backoff.delay", delay);
            requireAtMostAYear("idempotency.outbox.backoff.max-delay", maxDelay);
            Assert.isTrue(
                    multiplier >= 1,
                    () -> "idempotency.outbox.backoff.multiplier must be at least 1, not " + multiplier);
        }

        /** Returns the pauses between attempts. */
        public io.idempotency.internal.backoff.Backoff toBackoff() {
            return new io.idempotency.internal.backoff.Backoff(delay, multiplier, maxDelay);
        }
    }
}
