package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.boot.actuate.LastSamples.Sample;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/**
 * Down without the tables. Degraded while the purge or the outbox is behind: that is so for all instances at once, and none
 * of them answers any better if it gets no more requests.
 */
final class IdempotencyHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status("DEGRADED", "Works, but needs a look");

    private final StorageSchema schema;

    private final LastSamples samples;

    private final boolean purges;

    private final IdempotencyHealthProperties properties;

    IdempotencyHealthIndicator(
            StorageSchema schema, LastSamples samples, boolean purges, IdempotencyHealthProperties properties) {
        super("The idempotency tables cannot be asked for their health");
        this.schema = schema;
        this.samples = samples;
        this.purges = purges;
        this.properties = properties;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> problems = problems();
        if (!problems.isEmpty()) {
            builder.down().withDetail("schema", problems);
            return;
        }
        Check purge = purge();
        Check outbox = outbox();
        PartitionsCheck partitions = partitions();
        builder.status(purge.isFine() && outbox.isFine() && partitions.isFine() ? Status.UP : DEGRADED)
                .withDetail("schema", "present")
                .withDetail("purge", purge.details())
                .withDetail("outbox", outbox.details());
        if (!partitions.tables().isEmpty()) {
            builder.withDetail("partitions", partitions.details());
        }
    }

    /** The cause, which Spring's message does not tell. */
    private List<String> problems() {
        try {
            return schema.findProblems();
        } catch (DataAccessException | TransactionException failure) {
            return List.of("cannot be looked at: "
                    + NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
        }
    }

    private Check purge() {
        if (!purges) {
            return new Check(State.NOT_HERE, null, properties.maxPurgeDelay(), null);
        }
        Sample<StorageSampled> sample = samples.storage();
        if (sample == null) {
            return new Check(State.UNKNOWN, null, properties.maxPurgeDelay(), null);
        }
        Duration oldest = sample.seen().tables().stream()
                .map(TableSample::oldestExpired)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return judge(oldest, properties.maxPurgeDelay(), samples.ageOf(sample));
    }

    private PartitionsCheck partitions() {
        Sample<StorageSampled> sample = samples.storage();
        return new PartitionsCheck(sample == null ? List.of() : sample.seen().partitions());
    }

    private Check outbox() {
        Sample<OutboxSampled> sample = samples.outbox();
        return sample == null
                ? new Check(State.UNKNOWN, null, properties.maxOutboxAge(), null)
                : judge(sample.seen().oldest(), properties.maxOutboxAge(), samples.ageOf(sample));
    }

    private Check judge(Duration oldest, Duration threshold, Duration sampleAge) {
        State state = State.FINE;
        if (sampleAge.compareTo(properties.maxSampleAge()) > 0) {
            state = State.OUTDATED;
        } else if (oldest.compareTo(threshold) > 0) {
            state = State.BEHIND;
        }
        return new Check(state, oldest, threshold, sampleAge);
    }

    private enum State {
        FINE("fine"),
        BEHIND("behind"),
        OUTDATED("unknown: the last look at the tables is too old"),
        UNKNOWN("unknown: this instance has not looked yet"),
        NOT_HERE("not done by this instance");

        private final String text;

        State(String text) {
            this.text = text;
        }
    }

    private record Check(
            State state,
            @Nullable Duration oldest,
            Duration threshold,
            @Nullable Duration sampleAge) {

        boolean isFine() {
            return state != State.BEHIND && state != State.OUTDATED;
        }

        Map<String, Object> details() {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("state", state.text);
            if (oldest != null) {
                details.put("oldest", oldest.toString());
            }
            details.put("threshold", threshold.toString());
            if (sampleAge != null) {
                details.put("sampleAge", sampleAge.toString());
            }
            return details;
        }
    }
}
