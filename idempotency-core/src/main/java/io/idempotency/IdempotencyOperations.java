package io.idempotency;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The programmatic alternative to {@link Idempotent}, for jobs, lambdas and keys that are known only while a method
 * runs. The guarantees are the same.
 *
 * <pre>{@code
 * Receipt receipt = operations
 *         .call("payouts", payout.id(), payout)
 *         .returning(Receipt.class)
 *         .execute(() -> pay(payout));
 * }</pre>
 *
 * <p>The callback runs in the transaction that is open on the library's DataSource, or in a new one. If the callback
 * throws an exception, that transaction is rolled back and the caller gets the exception unchanged.
 */
public interface IdempotencyOperations {

    /**
     * Describes a call; {@link Returning#execute} or {@link Call#run} runs it.
     *
     * @param scope the operation that the key belongs to, 1 to 128 printable characters
     * @param key the caller's name for this intent, 1 to 255 printable characters
     * @param request the payload. A call with the same key is refused if the canonical JSON of its payload differs
     * @return the call, with the defaults of {@code idempotency.*}
     * @throws IllegalArgumentException if the scope is not well-formed
     */
    Call call(String scope, @Nullable String key, @Nullable Object request);

    /**
     * Runs a call with the defaults of {@code idempotency.*}.
     *
     * @param <T> the response type
     * @param <X> type of exception that the callback may throw
     * @param scope the operation that the key belongs to
     * @param key the caller's name for this intent
     * @param request the payload
     * @param responseType the type that a replay is read as
     * @param callback the effect; it is committed once, although the callback may run again after a rollback
     * @return the callback's result, or the stored one
     * @throws X if the callback throws it
     */
    default <T, X extends Exception> @Nullable T execute(
            String scope,
            @Nullable String key,
            @Nullable Object request,
            Class<T> responseType,
            Callback<? extends @Nullable T, X> callback)
            throws X {
        return call(scope, key, request).returning(responseType).execute(callback);
    }

    /** A call whose response type is not set yet. Immutable: each method returns a changed copy. */
    interface Call {

        /**
         * Sets the caller, instead of using the {@link CallerResolver}.
         *
         * @param caller 0 to 128 printable characters
         * @return the changed call
         */
        Call caller(String caller);

        /**
         * Sets the retention of the key and its response.
         *
         * @param retention more than zero
         * @return the changed call
         * @throws IllegalArgumentException if it is out of range, or shorter than {@code idempotency.minimum-retention}
         */
        Call retention(Duration retention);

        /**
         * Sets the policy for a key that another call holds.
         *
         * @param policy wait or fail
         * @return the changed call
         */
        Call onDuplicate(DuplicatePolicy policy);

        /**
         * Sets the longest wait for another call that holds the key.
         *
         * @param waitTimeout at least one millisecond
         * @return the changed call
         */
        Call waitTimeout(Duration waitTimeout);

        /**
         * Commits the claim before the effect, as a lease; see {@link IdempotencyMode#LEASED}. The library then opens
         * no transaction for the callback.
         *
         * @param lease longest time for which the key is held if this process crashes. It must be longer than the
         *     callback runs. If it is longer than the retention, the call throws an {@code IllegalArgumentException}
         *     before anything runs
         * @return the changed call
         */
        Call leased(Duration lease);

        /**
         * Sets the exceptions that are the final answer to the intent.
         *
         * @param finalFailures exception types that are recorded after the rollback and replayed as
         *     {@link RecordedFailureException}
         * @return the changed call
         */
        Call finalFailures(List<Class<? extends Throwable>> finalFailures);

        /**
         * Allows a response to lose something when it is stored; see {@link Idempotent#lossyResponse}.
         *
         * @return the changed call
         */
        Call lossyResponse();

        /**
         * Sets the type of the response.
         *
         * @param <T> the response type
         * @param responseType the type that a replay is read as
         * @return the call, ready to execute
         */
        <T> Returning<T> returning(Class<T> responseType);

        /**
         * Sets the type of a response with type arguments.
         *
         * @param <T> the response type
         * @param responseType the type that a replay is read as
         * @return the call, ready to execute
         */
        <T> Returning<T> returning(ParameterizedTypeReference<T> responseType);

        /**
         * Runs a call that has no response; a repeat does nothing.
         *
         * @param <X> type of exception that the action may throw
         * @param action the effect
         * @throws X if the action throws it
         * @throws IdempotencyException as described by its subclasses
         */
        <X extends Exception> void run(Action<X> action) throws X;
    }

    /**
     * A call that returns a response.
     *
     * @param <T> the response type
     */
    interface Returning<T> {

        /**
         * Runs the call.
         *
         * @param <X> type of exception that the callback may throw
         * @param callback the effect; it is committed once, although the callback may run again after a rollback
         * @return the callback's result, or the stored one
         * @throws X if the callback throws it
         * @throws IdempotencyException as described by its subclasses
         */
        <X extends Exception> @Nullable T execute(Callback<? extends @Nullable T, X> callback) throws X;
    }

    /**
     * An effect with a response.
     *
     * @param <T> the response type
     * @param <X> type of exception that it may throw
     */
    @FunctionalInterface
    interface Callback<T extends @Nullable Object, X extends Exception> {

        /**
         * Makes the effect.
         *
         * @return the response
         * @throws X on failure; everything is rolled back
         */
        T call() throws X;
    }

    /**
     * An effect without a response.
     *
     * @param <X> type of exception that it may throw
     */
    @FunctionalInterface
    interface Action<X extends Exception> {

        /**
         * Makes the effect.
         *
         * @throws X on failure; everything is rolled back
         */
        void run() throws X;
    }
}
