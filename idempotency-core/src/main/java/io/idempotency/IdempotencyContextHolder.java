package io.idempotency;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

/**
 * Holds the {@link IdempotencyContext} of the running call. Applications read it with
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
     * @param context the context of the call that starts, or what was bound before it when the call ends
     * @return what was bound before
     */
    public static @Nullable IdempotencyContext exchange(@Nullable IdempotencyContext context) {
        IdempotencyContext previous = CONTEXT.get();
        CONTEXT.set(context);
        return previous;
    }
}
