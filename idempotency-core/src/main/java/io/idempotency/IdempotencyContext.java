package io.idempotency;

import java.time.Duration;
import java.util.Optional;

/**
 * What the running method of an idempotent call may know about the call. Bound to the thread while the method runs;
 * threads that the method starts do not see it.
 */
public interface IdempotencyContext {

    /**
     * The idempotent call whose method this thread is running; the innermost one if they are nested.
     *
     * @return its context
     * @throws IllegalStateException if this thread is not running an idempotent call
     */
    static IdempotencyContext current() {
        return find().orElseThrow(() -> new IllegalStateException(
                "This thread is not running an idempotent call: call the method through its Spring proxy,"
                        + " and ask for the context on the thread that runs it"));
    }

    /**
     * The idempotent call whose method this thread is running, if any.
     *
     * @return its context
     */
    static Optional<IdempotencyContext> find() {
        return Optional.ofNullable(IdempotencyContextHolder.get());
    }

    /**
     * The intent that this call claimed.
     *
     * @return scope, caller and key
     */
    Intent intent();

    /**
     * The number of this attempt at the intent, counted from 1.
     *
     * @return 1 for the first attempt
     */
    int attempt();

    /**
     * A key to hand to an external system that knows idempotency keys, so that a repeat of this intent is a repeat there
     * too.
     *
     * @param name of the external system or call, such as {@code stripe}; one for each call that the method makes
     * @return a version-5 UUID of scope, caller, key and name, or of consumer, message id and name: the same for every
     *     attempt, and never the same for a call and for a message
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5">RFC 9562, UUID Version 5</a>
     */
    String downstreamKey(String name);

    /**
     * Holds the key for longer, for a method that takes longer than was expected, and keeps the response for as much
     * longer. Takes a connection of its own for a moment, so a method that is {@code @Transactional} itself holds two. May
     * be called from another thread, by an object that was asked for on the thread of the method.
     *
     * @param duration from now, in the database's time; at least a millisecond, at most 24.8 days. A lease that holds for
     *     longer already is not shortened
     * @throws LeaseLostException if the lease has expired and was taken over, was completed by an operator, or the call
     *     itself is over
     * @throws IllegalArgumentException if the duration is out of range
     * @throws IllegalStateException if the call holds no lease, or if the method's own transaction is REPEATABLE READ or
     *     SERIALIZABLE: it could not complete a row that has changed since it began
     */
    void extendLease(Duration duration);
}
