package io.idempotency;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The context of an idempotent call whose method is running. It is bound to the thread while the method runs; threads
 * that the method starts do not see it. Each run of a method has its own context, which equals no other.
 */
public interface IdempotencyContext {

    /**
     * Returns the context of the idempotent call whose method this thread is running.
     *
     * @return the context of the innermost call if calls are nested
     * @throws IllegalStateException if this thread is not running an idempotent call
     */
    static IdempotencyContext current() {
        return find().orElseThrow(() -> new IllegalStateException(
                "This thread is not running an idempotent call: call the method through its Spring proxy,"
                        + " and ask for the context on the thread that runs it"));
    }

    /**
     * Returns the context of the idempotent call whose method this thread is running, if any.
     *
     * @return the context of the innermost call; empty if this thread is not running one
     */
    static Optional<IdempotencyContext> find() {
        return Optional.ofNullable(IdempotencyContextHolder.get());
    }

    /** {@return the intent that this call claimed} */
    Intent intent();

    /** {@return the number of this attempt at the intent, from 1} */
    int attempt();

    /**
     * Derives a key for an external system that supports idempotency keys, so that a repeat of this intent is a repeat
     * there too. While this thread runs a step, the name of the step is part of the key, so that two steps that use one name have
     * different keys.
     *
     * @param name name of the external system or call, such as {@code stripe}; a different one for each call that the
     *     method or the step makes
     * @return a version-5 UUID of scope, caller, key, name and step, or of consumer, message id and name. It is the same for
     *     every attempt, and never the same for a call and a message
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5">RFC 9562, UUID Version 5</a>
     */
    String downstreamKey(String name);

    /**
     * Derives the downstream key of the step that is running.
     *
     * @return the same as {@link #downstreamKey(String)} with the name of the step, outside of steps
     * @throws IllegalStateException if no step is running
     */
    String downstreamKey();

    /**
     * Runs a step of a leased method once for all its attempts: its result is recorded, and later attempts get that instead of
     * running it. If the process ends after the step and before the record is committed, the step runs again, so let it call
     * others with {@link #downstreamKey()}. The code of the method between its steps runs in each attempt.
     *
     * <p>An exception that is one of the {@link Idempotent#finalFailures final failures} of the call is recorded: later attempts get
     * a {@link RecordedFailureException} instead of running the step. After any other the step may be asked for again.
     *
     * <p>A step that is not recorded runs only if all recorded ones were asked for before: ask for the steps in the same order in
     * each attempt.
     *
     * @param <T> the type of the result
     * @param <X> type of exception that the step may throw
     * @param name name of the step, 1 to 128 printable characters; each step of a call has another one
     * @param type the type that the recorded result is read as
     * @param work the step, which runs on this thread; it must not ask for another step
     * @return the result of the step, or the recorded one
     * @throws X if the step throws it
     * @throws StepsChangedException if an earlier attempt has recorded another step, which this one has not asked for, or the
     *     recorded result cannot be read as the type
     * @throws ResponseNotStorableException if the result cannot be stored; the step has run then
     * @throws LeaseLostException if the lease has expired and was reclaimed, or the call was completed by an operator
     * @throws OutcomeUnknownException if it cannot be found out whether the step is recorded, or another transaction, such as one
     *     that takes the lease over, has locked the row of the key for 30 seconds
     * @throws IllegalArgumentException if the name is not well-formed, or was used before in this attempt
     * @throws IllegalStateException if the call holds no lease, a transaction is open, another step is running, or this is not the
     *     thread of the method
     */
    <T, X extends Exception> @Nullable T step(
            String name, Class<T> type, IdempotencyOperations.Callback<? extends @Nullable T, X> work) throws X;

    /** Does the same as {@link #step(String, Class, IdempotencyOperations.Callback)} for a type with type arguments. */
    <T, X extends Exception> @Nullable T step(
            String name,
            ParameterizedTypeReference<T> type,
            IdempotencyOperations.Callback<? extends @Nullable T, X> work)
            throws X;

    /** Does the same as {@link #step(String, Class, IdempotencyOperations.Callback)} for a step without a result. */
    <X extends Exception> void step(String name, IdempotencyOperations.Action<X> work) throws X;

    /**
     * Runs a step whose effects are in this database, in a new transaction that is committed together with the record: it
     * happens exactly once. Otherwise the same as {@link #step(String, Class, IdempotencyOperations.Callback)}.
     *
     * @param <T> the type of the result
     * @param <X> type of exception that the step may throw
     * @param name name of the step, 1 to 128 printable characters; each step of a call has another one
     * @param type the type that the recorded result is read as
     * @param work the step, which runs on this thread
     * @return the result of the step, or the recorded one
     * @throws X if the step throws it; its transaction is rolled back
     * @throws TransactionFailedException if the step returned, but its transaction cannot commit
     * @throws IllegalStateException if a transaction is open, the call holds no lease, or another step is running
     */
    <T, X extends Exception> @Nullable T stepInTransaction(
            String name, Class<T> type, IdempotencyOperations.Callback<? extends @Nullable T, X> work) throws X;

    /** Does the same as {@link #stepInTransaction(String, Class, IdempotencyOperations.Callback)} for a type with type arguments. */
    <T, X extends Exception> @Nullable T stepInTransaction(
            String name,
            ParameterizedTypeReference<T> type,
            IdempotencyOperations.Callback<? extends @Nullable T, X> work)
            throws X;

    /** Does the same as {@link #stepInTransaction(String, Class, IdempotencyOperations.Callback)} for a step without a result. */
    <X extends Exception> void stepInTransaction(String name, IdempotencyOperations.Action<X> work) throws X;

    /**
     * Extends the lease of the key, for a method that takes longer than {@code idempotency.max-lease}, or whose lease is not renewed.
     * The key and its response are retained
     * for as much longer. Takes a second connection for a moment if the method is {@code @Transactional} itself. May be
     * called from another thread, on a context that was obtained on the thread of the method. If the connection is lost, the
     * extension is tried again for up to 30 seconds.
     *
     * @param duration lease duration from now, by the database's clock; at least a millisecond, at most 24.8 days. A
     *     lease that ends later already is not shortened
     * @throws LeaseLostException if the lease has expired and was reclaimed, an operator has completed the request, or
     *     the call has ended
     * @throws OutcomeUnknownException if another transaction, such as one that takes the lease over, has locked the row
     *     of the key for 30 seconds
     * @throws IllegalArgumentException if the duration is out of range
     * @throws IllegalStateException if the call holds no lease, or if the transaction of the method, or of its step, is
     *     REPEATABLE READ or SERIALIZABLE, because it could not complete a row that has changed since it began
     */
    void extendLease(Duration duration);
}
