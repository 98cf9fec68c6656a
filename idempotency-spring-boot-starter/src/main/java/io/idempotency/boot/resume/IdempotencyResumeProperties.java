package io.idempotency.boot.resume;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;

/**
 * Settings of leased calls that an instance finishes without their callers.
 *
 * @param enabled Whether this instance resumes calls of methods with resume = true. Their arguments are stored in any case.
 * @param interval Time between two searches of each thread for calls whose leases have expired.
 * @param threads Number of calls that this instance resumes at the same time.
 * @param maxAttempts Largest number of attempts that instances make at a call. After that, it is abandoned, and an operator
 *     has to decide.
 * @param shutdownTimeout Longest time that the shutdown of the application waits for resumed calls.
 */
@ConfigurationProperties("idempotency.resume")
public record IdempotencyResumeProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("10s") Duration interval,
        @DefaultValue("2") int threads,
        @DefaultValue("10") int maxAttempts,
        @DefaultValue("30s") Duration shutdownTimeout) {

    private static final int MOST_THREADS = 100;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public IdempotencyResumeProperties {
        requireAtMostAYear("idempotency.resume.interval", interval);
        requireAtMostAYear("idempotency.resume.shutdown-timeout", shutdownTimeout);
        Assert.isTrue(
                threads > 0 && threads <= MOST_THREADS,
                () -> "idempotency.resume.threads must be at least 1 and at most " + MOST_THREADS + ", not " + threads);
        Assert.isTrue(maxAttempts > 0, () -> "idempotency.resume.max-attempts must be at least 1, not " + maxAttempts);
    }
}
