package io.idempotency.boot.actuate;

import java.util.List;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.IdempotencyHealthProperties;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.internal.postgres.schema.StorageSchema;

/**
 * The health of the library's tables: down if a table cannot be used, and degraded while a part of the library lags. Degraded
 * instances stay in service, because all of them are degraded together.
 */
final class IdempotencyHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status("DEGRADED", "Works, but needs attention");

    private final StorageSchema schema;

    private final IdempotencyHealthProperties properties;

    private final List<SampledPart<?>> parts;

    IdempotencyHealthIndicator(
            StorageSchema schema, IdempotencyHealthProperties properties, List<SampledPart<?>> parts) {
        super("The health of the idempotency tables cannot be determined");
        this.schema = schema;
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
        List<HealthDetail> details = parts.stream()
                .flatMap(part -> part.health(properties.maxSampleAge()).stream())
                .toList();
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
}
