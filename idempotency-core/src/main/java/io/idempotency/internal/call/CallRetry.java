package io.idempotency.internal.call;

import java.time.Duration;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOff;

import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.RetrySettings;

/**
 * Repeats the attempts of a call after transient failures. Even a connection that was lost during COMMIT allows a retry,
 * because the call is idempotent: the next attempt replays what was committed, or runs the method.
 */
public final class CallRetry {

    private final RetrySettings settings;

    public CallRetry(RetrySettings settings) {
        this.settings = settings;
    }

    /**
     * Makes attempts until one succeeds.
     *
     * @param isRetryable whether another one may follow the one that has just failed
     */
    public <T> @Nullable T call(CallExecution execution, AttemptMaker<T> attempt, Predicate<Throwable> isRetryable)
            throws Throwable {
        return execute(new RetryableCall<>(attempt, isRetryable, settings, execution));
    }

    private static <T> @Nullable T execute(RetryableCall<T> retryable) throws Throwable {
        try {
            return new RetryTemplate(retryable).execute(retryable);
        } catch (RetryException exhausted) {
            // The last failure and not the cause, which is the interruption if a pause was interrupted.
            throw retryable.lastFailure == null ? exhausted : retryable.lastFailure;
        }
    }

    /** Makes one attempt. */
    @FunctionalInterface
    public interface AttemptMaker<T> {

        /** Returns the result of the attempt. */
        @Nullable T make() throws Throwable;
    }

    /** The work and the policy for Spring's RetryTemplate. */
    private static final class RetryableCall<T> implements RetryPolicy, Retryable<@Nullable T> {

        private final AttemptMaker<T> attempt;

        private final Predicate<Throwable> isRetryable;

        private final RetrySettings settings;

        private final CallExecution execution;

        private final int maxAttempts;

        private int executions;

        private @Nullable Throwable lastFailure;

        RetryableCall(
                AttemptMaker<T> attempt,
                Predicate<Throwable> isRetryable,
                RetrySettings settings,
                CallExecution execution) {
            this.attempt = attempt;
            this.isRetryable = isRetryable;
            this.settings = settings;
            this.execution = execution;
            this.maxAttempts = execution.call().options().maxAttempts();
        }

        @Override
        @SuppressWarnings("NullAway") // NullAway does not see that the type argument is nullable.
        public @Nullable T execute() throws Throwable {
            if (lastFailure != null) {
                execution.publisher().retried(execution.call(), executions, lastFailure);
            }
            executions++;
            return attempt.make();
        }

        @Override
        public boolean shouldRetry(Throwable failure) {
            lastFailure = failure;
            return executions < maxAttempts && isRetryable.test(failure);
        }

        @Override
        public Duration getTimeout() {
            return settings.timeout();
        }

        @Override
        public BackOff getBackOff() {
            return settings.backoff();
        }

        @Override
        public String getName() {
            return "idempotent call";
        }
    }
}
