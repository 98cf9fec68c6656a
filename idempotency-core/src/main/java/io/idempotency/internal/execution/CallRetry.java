package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Repeats the executions of a call. Because the call is idempotent, a lost connection is no reason to leave the caller
 * without an answer, not even during COMMIT: the repeat finds what was committed and replays it, or runs.
 */
final class CallRetry {

    private final RetrySettings settings;

    CallRetry(RetrySettings settings) {
        this.settings = settings;
    }

    <T> @Nullable T call(CallExecution execution, Attempt<T> attempt) throws Throwable {
        return execute(new Repeats<>(attempt, settings, execution));
    }

    /**
     * Does work of the library's own that does not run the method, and has to be done in the end, whether the caller is
     * interrupted or not.
     */
    <T> T untilDone(OwnWork<T> work) throws Throwable {
        RetrySettings patient = settings.untilDone();
        BackOffExecution pauses = patient.backOff(patient.maxAttempts()).start();
        PendingInterruption interruption = new PendingInterruption();
        long start = System.nanoTime();
        try {
            while (true) {
                interruption.setAside();
                try {
                    return work.run();
                } catch (Throwable failure) {
                    long pause = TimeUnit.MILLISECONDS.toNanos(pauses.nextBackOff());
                    if (!RetryClassifier.isRetryableUntilDone(failure)
                            || System.nanoTime() - start + pause
                                    > patient.timeout().toNanos()) {
                        throw failure;
                    }
                    LockSupport.parkNanos(pause);
                }
            }
        } finally {
            interruption.giveBack();
        }
    }

    private static <T> @Nullable T execute(Repeats<T> repeats) throws Throwable {
        try {
            return new RetryTemplate(repeats).execute(repeats);
        } catch (RetryException exhausted) {
            // Not its cause, which is the interruption if a pause was interrupted.
            throw repeats.lastFailure == null ? exhausted : repeats.lastFailure;
        }
    }

    /** A short transaction. */
    @FunctionalInterface
    interface OwnWork<T> {

        T run() throws Throwable;
    }

    /** One execution of a call after another. */
    interface Attempt<T> {

        @Nullable T execute() throws Throwable;

        /** Whether the execution that has just failed may be followed by another. */
        boolean isRetryable(Throwable failure);
    }

    /** Spring's retry asks this object what to run, and whether to run it again. */
    private static final class Repeats<T> implements RetryPolicy, Retryable<@Nullable T> {

        private final Attempt<T> attempt;

        private final RetrySettings howOften;

        private final CallExecution execution;

        private final int maxAttempts;

        private int executions;

        private @Nullable Throwable lastFailure;

        Repeats(Attempt<T> attempt, RetrySettings howOften, CallExecution execution) {
            this.attempt = attempt;
            this.howOften = howOften;
            this.execution = execution;
            this.maxAttempts = howOften.maxAttemptsOf(execution.call().options());
        }

        @Override
        @SuppressWarnings("NullAway") // The type argument is nullable, which NullAway does not see.
        public @Nullable T execute() throws Throwable {
            if (lastFailure != null) {
                execution.publisher().retried(execution.call(), executions, lastFailure);
            }
            executions++;
            return attempt.execute();
        }

        @Override
        public boolean shouldRetry(Throwable failure) {
            lastFailure = failure;
            return executions < maxAttempts && attempt.isRetryable(failure);
        }

        @Override
        public Duration getTimeout() {
            return howOften.timeout();
        }

        @Override
        public BackOff getBackOff() {
            return howOften.backOff(maxAttempts);
        }

        @Override
        public String getName() {
            return "idempotent call";
        }
    }
}
