package io.idempotency;

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
}
