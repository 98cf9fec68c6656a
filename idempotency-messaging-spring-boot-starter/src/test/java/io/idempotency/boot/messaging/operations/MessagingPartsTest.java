package io.idempotency.boot.messaging.operations;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.boot.testing.TestClock;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;

import static org.assertj.core.api.Assertions.assertThat;

/** What gauges and health show of messages. */
class MessagingPartsTest {

    private static final Duration MAX_SAMPLE_AGE = Duration.ofMinutes(5);

    private final TestClock clock = new TestClock();

    private final OutboxPart outbox = new OutboxPart(Duration.ofMinutes(10), Duration.ofMinutes(10), clock);

    private final PartitionsPart partitions = new PartitionsPart(Duration.ofSeconds(30), clock);

    @Test
    void gaugesShowTheOutbox() {
        outbox.outboxSampled(new OutboxSampled(3, 4, Duration.ofMillis(2_500), List.of()));

        assertThat(figuresOf(outbox))
                .containsExactly(
                        "idempotency.outbox.pending null messages 3.0",
                        "idempotency.outbox.dead.kept null messages 4.0",
                        "idempotency.outbox.oldest.age null seconds 2.5");
    }

    @Test
    void gaugesShowPartitions() {
        partitions.partitionsSampled(
                new PartitionSample("processed_message", 21, 7, Duration.ofMillis(1_500), false, List.of("look")));

        assertThat(figuresOf(partitions))
                .containsExactly(
                        "idempotency.partitions processed_message partitions 21.0",
                        "idempotency.partitions.ahead processed_message partitions 7.0",
                        "idempotency.partitions.overdue processed_message seconds 1.5",
                        "idempotency.partitions.problems processed_message problems 1.0");
    }

    private static Stream<String> figuresOf(SampledPart<?> part) {
        return part.figures().stream()
                .map(figure -> figure.name() + " " + figure.table() + " " + figure.unit() + " " + figure.value());
    }

    @Test
    void healthIsDegradedIfTheLatestSampleOfTheOutboxIsTooOld() {
        outbox.outboxSampled(new OutboxSampled(0, 0, Duration.ZERO, List.of()));
        clock.turn(Duration.ofMinutes(5));
        assertThat(isFine(outbox)).contains(true);

        clock.turn(Duration.ofMinutes(1));
        assertThat(isFine(outbox)).contains(false);
    }

    @Test
    void healthNamesTheTopicsThatAreLate() {
        outbox.outboxSampled(new OutboxSampled(1, 0, Duration.ofMinutes(2), List.of("orders")));

        assertThat(outbox.health(MAX_SAMPLE_AGE).orElseThrow().members())
                .containsEntry("lateTopics", List.of("orders"));
    }

    @Test
    void partitionsAreJudgedHoweverOldTheirSampleIs() {
        assertThat(isFine(partitions)).isEmpty();
        partitions.partitionsSampled(new PartitionSample("processed_message", 9, 7, Duration.ZERO, false, List.of()));
        clock.turn(Duration.ofDays(1));

        assertThat(isFine(partitions)).contains(true);
    }

    private static Optional<Boolean> isFine(SampledPart<?> part) {
        return part.health(MAX_SAMPLE_AGE).map(HealthDetail::isFine);
    }
}
