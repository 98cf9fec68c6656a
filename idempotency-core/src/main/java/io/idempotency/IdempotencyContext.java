package io.idempotency;

import java.time.Duration;
import java.util.Optional;

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
     * there too.
     *
     * @param name name of the external system or call, such as {@code stripe}; a different one for each call that the
     *     method makes
     * @return a version-5 UUID of scope, caller, key and name, or of consumer, message id and name. It is the same for
     *     every attempt, and never the same for a call and a message
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5">RFC 9562, UUID Version 5</a>
     */
    String downstreamKey(String name);

    /**
     * Extends the lease of the key, for a method that takes longer than expected. The key and its response are retained
     * for as much longer. Takes a second connection for a moment if the method is {@code @Transactional} itself. May be
     * called from another thread, on a context that was obtained on the thread of the method.
     *
     * @param duration lease duration from now, by the database's clock; at least a millisecond, at most 24.8 days. A
     *     lease that ends later already is not shortened
     * @throws LeaseLostException if the lease has expired and was reclaimed, an operator has completed the request, or
     *     the call has ended
     * @throws IllegalArgumentException if the duration is out of range
     * @throws IllegalStateException if the call holds no lease, or if the method's own transaction is REPEATABLE READ
     *     or SERIALIZABLE, because it could not complete a row that has changed since it began
     */
    void extendLease(Duration duration);
}
