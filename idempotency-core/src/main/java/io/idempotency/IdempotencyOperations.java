package io.idempotency;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

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

    /**
     * Describes a write with the defaults of {@code idempotency.*}; see {@link Write}.
     *
     * @param scope the operation that the key belongs to, 1 to 128 printable characters
     * @param key the caller's name for this intent, 1 to 255 printable characters
     * @param request the payload
     * @return the write, without statements
     * @throws IllegalArgumentException if the scope is not well-formed
     */
    default Write write(String scope, @Nullable String key, @Nullable Object request) {
        return call(scope, key, request).write();
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
         * @throws IllegalArgumentException if it is out of range, or shorter than {@code idempotency.minimum-retention}, by
         *     default the longest of one minute, {@code idempotency.wait-timeout} and {@code idempotency.lease}
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
         * Sets the longest wait for another call that holds the key. If it is longer than the retention, and no
         * {@code idempotency.minimum-retention} is set, the call throws an {@code IllegalArgumentException} before anything runs.
         *
         * @param waitTimeout at least one millisecond, at most 24.8 days
         * @return the changed call
         * @throws IllegalArgumentException if it is out of range
         */
        Call waitTimeout(Duration waitTimeout);

        /**
         * Commits the claim before the effect, as a lease; see {@link IdempotencyMode#LEASED}. The library then opens
         * no transaction for the callback.
         *
         * @param lease longest time for which the key is held if this process crashes. While the callback runs, it is
         *     renewed, for {@code idempotency.max-lease} at most. At least one millisecond, at most 24.8 days. If it is longer than
         *     the retention, the call throws an {@code IllegalArgumentException} before anything runs
         * @return the changed call
         * @throws IllegalArgumentException if it is out of range
         */
        Call leased(Duration lease);

        /**
         * Claims the key when the effect has been made; see {@link IdempotencyMode#OPTIMISTIC}. The callback may run although the
         * key was answered already, and its writes be rolled back: nothing outside of the database may happen in it. If the call
         * has final failures, this throws an {@code IllegalArgumentException}.
         *
         * @return the changed call
         */
        Call optimistic();

        /**
         * Sets the exceptions that are the final answer to the intent. If the call is {@link #optimistic}, or one may also be thrown for
         * a lost answer or a passing trouble, this throws an {@code IllegalArgumentException}.
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
         * Makes this call a write, whose statements are known before they run. It must not be leased.
         *
         * @return the write, without statements
         * @throws IllegalArgumentException if the call is leased
         */
        Write write();

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
     * A call whose effect is SQL statements that are known before they run. Its key, its statements, its response and the COMMIT are
     * sent in one message, so that it costs one round trip. A repeat executes none of the statements. Immutable: each method returns
     * a changed copy.
     *
     * <pre>{@code
     * Receipt receipt = operations.write("transfers", key, transfer)
     *         .statement("update account set cents = cents - :cents where id = :from and cents >= :cents", values)
     *         .expectRows(1, InsufficientFunds::new)
     *         .statement("insert into transfer (id, cents) values (:id, :cents)", values)
     *         .respond(Receipt.class, new Receipt(id));
     * }</pre>
     *
     * <p>If the key is known, a statement fails or an expectation is not met, everything is rolled back, and the call is made once
     * more with a claim and one statement after the other, which finds the stored response or the failure. So it is done as well if
     * a transaction is open, which the write then joins.
     */
    interface Write {

        /**
         * Adds a statement, which is executed after those before it. It sees what they have written, but its parameters cannot be
         * their results: where a statement needs the {@code RETURNING} values of another, make them one with {@code WITH}.
         *
         * @param sql an INSERT, UPDATE, DELETE, MERGE, SELECT or WITH, without a semicolon, with parameters such as {@code :cents}
         * @param parameters the values of the parameters by their names; further ones do no harm
         * @return the changed write
         * @throws IllegalArgumentException if the SQL is not such a statement, or a parameter has no value
         */
        Write statement(String sql, Map<String, ? extends @Nullable Object> parameters);

        /**
         * Requires that the last statement, an INSERT, UPDATE, DELETE or MERGE without {@code RETURNING}, changes so many rows.
         *
         * @param rows the number of rows
         * @param failure creates the exception that the caller gets otherwise; list its type in {@link Call#finalFailures} to record it
         * @return the changed write
         * @throws IllegalArgumentException if there is no such statement
         */
        Write expectRows(long rows, Supplier<? extends RuntimeException> failure);

        /**
         * Requires the same; otherwise the caller gets a {@code JdbcUpdateAffectedIncorrectNumberOfRowsException}.
         *
         * @param rows the number of rows
         * @return the changed write
         * @throws IllegalArgumentException if there is no such statement
         */
        Write expectRows(long rows);

        /**
         * Runs a write that has no response; a repeat does nothing.
         *
         * @throws IllegalArgumentException if there is no statement
         * @throws IdempotencyException as described by its subclasses
         */
        void run();

        /**
         * Runs a write whose response is known before.
         *
         * @param <T> the response type
         * @param responseType the type that a repeat reads the response as
         * @param response the response of a new key
         * @return the response, or the stored one
         * @throws IllegalArgumentException if there is no statement
         * @throws IdempotencyException as described by its subclasses
         */
        <T> @Nullable T respond(Class<T> responseType, T response);

        /**
         * Runs a write whose response is the one row that its last statement returns, which must not be a {@code WITH} that changes
         * data: select the row in a further statement instead. PostgreSQL makes JSON of the row, with its
         * column names, and the library's JSON mapper reads that, in the first call and in repeats. If it cannot be read, every
         * call with the key fails, although its effect may be committed.
         *
         * @param <T> the response type
         * @param responseType the type that the row is read as
         * @return the row, or the stored one
         * @throws IllegalArgumentException if there is no statement, or the last one has {@link #expectRows}
         * @throws IdempotencyException as described by its subclasses
         */
        <T> @Nullable T returnRow(Class<T> responseType);
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
