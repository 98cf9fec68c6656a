package io.idempotency.execution;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOff;

import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;

/**
 * Repeats the executions of a call. Because the call is idempotent, a lost connection is no reason to leave the caller
 * without an answer, not even during COMMIT: the repeat finds what was committed and replays it, or runs.
 */
final class CallRetry {

    private final RetrySettings settings;

    private final IdempotencyListener listener;

    CallRetry(RetrySettings settings, IdempotencyListener listener) {
        this.settings = settings;
        this.listener = listener;
    }

    <T> @Nullable T call(IdempotentCall call, Attempt<T> attempt) throws Throwable {
        Repeats<T> repeats = new Repeats<>(call, attempt);
        try {
            return new RetryTemplate(repeats).execute(repeats);
        } catch (RetryException exhausted) {
            // Not its cause, which is the interruption if a pause was interrupted.
            throw repeats.lastFailure == null ? exhausted : repeats.lastFailure;
        }
    }

    /** One execution of a call after another. */
    interface Attempt<T> {

        @Nullable T execute() throws Throwable;

        /** Whether the execution that has just failed may be followed by another. */
        boolean isRepeatable(Throwable failure);
    }

    /** Spring's retry asks this object what to run, and whether to run it again. */
    private final class Repeats<T> implements RetryPolicy, Retryable<@Nullable T> {

        private final IdempotentCall call;

        private final Attempt<T> attempt;

        private final int maxAttempts;

        private int executions;

        private @Nullable Throwable lastFailure;

        Repeats(IdempotentCall call, Attempt<T> attempt) {
            this.call = call;
            this.attempt = attempt;
            this.maxAttempts = settings.maxAttemptsOf(call.terms());
        }

        @Override
        @SuppressWarnings("NullAway") // The type argument is nullable, which NullAway does not see.
        public @Nullable T execute() throws Throwable {
            executions++;
            return attempt.execute();
        }

        @Override
        public boolean shouldRetry(Throwable failure) {
            lastFailure = failure;
            if (executions >= maxAttempts || !attempt.isRepeatable(failure)) {
                return false;
            }
            listener.callRetried(new CallRetried(call.intent(), executions, SqlStates.of(failure), failure));
            return true;
        }

        @Override
        public Duration getTimeout() {
            return settings.timeout();
        }

        @Override
        public BackOff getBackOff() {
            return settings.backOff(maxAttempts);
        }

        @Override
        public String getName() {
            return "idempotent call";
        }
    }
}
