package io.idempotency.boot.messaging.operations;

import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.idempotency.boot.messaging.metrics.MessagingMeters;
import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.PartitionSample;

/** The partitions of handled messages. Seven are added ahead, so there is time left when too few are reported. */
final class PartitionsPart extends SampledPart<PartitionSample> implements MessagingListener {

    private static final String NAME = "partitions";

    private static final int FEWEST_AHEAD = 4;

    private static final Duration LONGEST_OVERDUE = Duration.ofHours(1);

    private static final String FINE = "fine";

    PartitionsPart(Duration interval, Clock clock) {
        super(NAME, interval, clock);
    }

    @Override
    public void partitionsSampled(PartitionSample event) {
        update(event);
    }

    @Override
    protected List<Figure> figuresOf(PartitionSample sample) {
        String table = sample.table();
        return List.of(
                new Figure(MessagingMeters.PARTITIONS, "Partitions", NAME, table, sample.partitions()),
                new Figure(
                        MessagingMeters.PARTITIONS_AHEAD, "Partitions for future times", NAME, table, sample.ahead()),
                Figure.ofSeconds(
                        MessagingMeters.PARTITIONS_OVERDUE,
                        "Time since the next partition should have been opened",
                        table,
                        sample.overdue()),
                new Figure(
                        MessagingMeters.PARTITIONS_PROBLEMS,
                        "Problems of the partitions, which health describes",
                        "problems",
                        table,
                        sample.problems().size()));
    }

    /** Judges samples of any age, because partitions are added ahead. */
    @Override
    public Optional<HealthDetail> health(Duration maxSampleAge) {
        return Optional.ofNullable(taken()).map(taken -> detailOf(taken.sample()));
    }

    private static HealthDetail detailOf(PartitionSample sample) {
        String state = stateOf(sample);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("state", state);
        members.put("partitions", sample.partitions());
        members.put("ahead", sample.ahead());
        members.put("overdue", sample.overdue().toString());
        members.put("detachPending", sample.detachPending());
        if (!sample.problems().isEmpty()) {
            members.put("problems", sample.problems());
        }
        return new HealthDetail(NAME, state.equals(FINE), Map.of(sample.table(), members));
    }

    private static String stateOf(PartitionSample sample) {
        if (sample.overdue().compareTo(LONGEST_OVERDUE) > 0) {
            return "the next partition could not be opened";
        }
        if (sample.ahead() < FEWEST_AHEAD) {
            return "no instance adds partitions";
        }
        return sample.problems().isEmpty() ? FINE : "needs attention";
    }
}
