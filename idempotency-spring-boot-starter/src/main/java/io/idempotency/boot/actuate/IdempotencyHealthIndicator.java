package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/**
 * The health of the library's tables: down if a table cannot be used, and degraded while the purge or another part of the
 * library lags. Degraded instances stay in service, because all of them are degraded together.
 */
final class IdempotencyHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status("DEGRADED", "Works, but needs attention");

    private static final String PURGE = "purge";

    private final StorageSchema schema;

    private final LatestSamples samples;

    private final boolean purges;

    private final IdempotencyHealthProperties properties;

    private final List<HealthPart> parts;

    IdempotencyHealthIndicator(
            StorageSchema schema,
            LatestSamples samples,
            boolean purges,
            IdempotencyHealthProperties properties,
            List<HealthPart> parts) {
        super("The health of the idempotency tables cannot be determined");
        this.schema = schema;
        this.samples = samples;
        this.purges = purges;
        this.properties = properties;
        this.parts = List.copyOf(parts);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> problems = problems();
        if (!problems.isEmpty()) {
            builder.down().withDetail("schema", problems);
            return;
        }
        List<HealthDetail> details = new ArrayList<>(List.of(purge()));
        parts.forEach(part -> details.addAll(part.details()));
        builder.status(details.stream().allMatch(HealthDetail::isFine) ? Status.UP : DEGRADED)
                .withDetail("schema", "present");
        details.forEach(detail -> builder.withDetail(detail.name(), detail.members()));
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

    private HealthDetail purge() {
        return purges
                ? HealthDetail.ofSample(
                        PURGE,
                        samples.storage(),
                        IdempotencyHealthIndicator::oldestExpired,
                        properties.maxPurgeDelay(),
                        properties.maxSampleAge())
                : HealthDetail.notDoneHere(PURGE, properties.maxPurgeDelay());
    }

    private static Duration oldestExpired(StorageSampled sample) {
        return sample.tables().stream()
                .map(TableSample::oldestExpired)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }
}
