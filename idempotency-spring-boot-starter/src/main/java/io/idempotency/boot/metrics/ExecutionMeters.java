package io.idempotency.boot.metrics;

import java.time.Duration;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/** The meters of executions of one kind, by their owner: of calls by their scope. */
public final class ExecutionMeters {

    private static final String FIRST = "first";

    private static final String REPEAT = "repeat";

    private static final String NONE = "none";

    private static final String UNKNOWN = "unknown";

    private final String ownerKey;

    private final BoundedTag owners;

    private final BoundedTag exceptions = new BoundedTag(IdempotencyMeters.EXCEPTION);

    private final MeterProvider<Timer> executions;

    private final MeterProvider<Counter> failures;

    private final MeterProvider<Counter> retries;

    /** Creates the meters, with a tag for the owners of executions, such as the scopes of calls. */
    public ExecutionMeters(
            MeterRegistry registry,
            String ownerKey,
            String name,
            String description,
            String failuresName,
            String retriesName) {
        this.ownerKey = ownerKey;
        this.owners = new BoundedTag(ownerKey);
        this.executions = Timer.builder(name).description(description).withRegistry(registry);
        this.failures = Counter.builder(failuresName)
                .description("Attempts that ran and failed")
                .withRegistry(registry);
        this.retries = Counter.builder(retriesName)
                .description("Executions that failed and were repeated at once")
                .withRegistry(registry);
    }

    /** Records an execution. */
    public void completed(String owner, String outcome, Duration duration) {
        executions
                .withTags(ownerKey, owners.valueOf(owner), IdempotencyMeters.OUTCOME, outcome)
                .record(duration);
    }

    /**
     * Counts a failure if an attempt was made.
     *
     * @param attempt the number of the attempt; 0 if none was made
     * @param failure the exception; {@code null} if an outer transaction was rolled back
     */
    public void failed(String owner, int attempt, @Nullable Throwable failure) {
        if (attempt == 0) {
            return;
        }
        failures.withTags(
                        ownerKey,
                        owners.valueOf(owner),
                        IdempotencyMeters.ATTEMPT,
                        attempt == 1 ? FIRST : REPEAT,
                        IdempotencyMeters.EXCEPTION,
                        failure == null ? NONE : exceptions.valueOf(nameOf(failure.getClass())))
                .increment();
    }

    /** Counts an execution that is repeated. The SQLSTATE is {@code null} if none was reported. */
    public void retried(String owner, @Nullable String sqlState) {
        retries.withTags(
                        ownerKey,
                        owners.valueOf(owner),
                        IdempotencyMeters.SQLSTATE,
                        sqlState == null ? UNKNOWN : sqlState)
                .increment();
    }

    /** Returns the simple name, or the full name of an anonymous class, which has no simple one. */
    private static String nameOf(Class<?> type) {
        String simpleName = type.getSimpleName();
        return simpleName.isEmpty() ? type.getName() : simpleName;
    }
}
