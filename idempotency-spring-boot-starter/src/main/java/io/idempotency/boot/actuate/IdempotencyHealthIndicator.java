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

import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/**
 * The health of the library's tables: down if a table cannot be used, and degraded while the purge, the outbox or the
 * partitions lag. Degraded instances stay in service, because all of them are degraded together.
 */
final class IdempotencyHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status("DEGRADED", "Works, but needs attention");

    private final StorageSchema schema;

    private final LatestSamples samples;

    private final boolean purges;

    private final IdempotencyHealthProperties properties;

    IdempotencyHealthIndicator(
            StorageSchema schema, LatestSamples samples, boolean purges, IdempotencyHealthProperties properties) {
        super("The health of the idempotency tables cannot be determined");
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
        PartitionHealth partitions = partitions();
        builder.status(purge.isFine() && outbox.isFine() && partitions.isFine() ? Status.UP : DEGRADED)
                .withDetail("schema", "present")
                .withDetail("purge", purge.details())
                .withDetail("outbox", outbox.details());
        if (!partitions.tables().isEmpty()) {
            builder.withDetail("partitions", partitions.details());
        }
    }

    /** Reports the cause of a failure, which Spring's message does not contain. */
    private List<String> problems() {
        try {
            return schema.findProblems();
        } catch (DataAccessException | TransactionException failure) {
            return List.of("cannot be queried: "
                    + NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
        }
    }

    private Check purge() {
        if (!purges) {
            return new Check(State.NOT_HERE, null, properties.maxPurgeDelay(), null);
        }
        Taken<StorageSampled> taken = samples.storage();
        if (taken == null) {
            return new Check(State.UNKNOWN, null, properties.maxPurgeDelay(), null);
        }
        Duration oldest = taken.sample().tables().stream()
                .map(TableSample::oldestExpired)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return judge(oldest, properties.maxPurgeDelay(), taken.age());
    }

    private PartitionHealth partitions() {
        Taken<StorageSampled> taken = samples.storage();
        return new PartitionHealth(taken == null ? List.of() : taken.sample().partitions());
    }

    private Check outbox() {
        Taken<OutboxSampled> taken = samples.outbox();
        return taken == null
                ? new Check(State.UNKNOWN, null, properties.maxOutboxAge(), null)
                : judge(taken.sample().oldest(), properties.maxOutboxAge(), taken.age());
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
        OUTDATED("unknown: the latest sample of the tables is too old"),
        UNKNOWN("unknown: this instance has taken no sample yet"),
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
