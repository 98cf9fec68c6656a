package io.idempotency;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

/**
 * The holder of the {@link IdempotencyContext} that is bound to a thread. Applications read it with
 * {@link IdempotencyContext#current()}; only the library sets it.
 */
public final class IdempotencyContextHolder {

    private static final ThreadLocal<@Nullable IdempotencyContext> CONTEXT =
            new NamedThreadLocal<>("context of the running idempotent call");

    private IdempotencyContextHolder() {}

    static @Nullable IdempotencyContext get() {
        return CONTEXT.get();
    }

    /**
     * Binds a context to this thread.
     *
     * @param context context of the call that starts, or the previous context when a call ends
     * @return the context that was bound before
     */
    public static @Nullable IdempotencyContext exchange(@Nullable IdempotencyContext context) {
        IdempotencyContext previous = CONTEXT.get();
        CONTEXT.set(context);
        return previous;
    }
}
