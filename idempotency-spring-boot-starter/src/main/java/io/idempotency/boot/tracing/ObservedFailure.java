package io.idempotency.boot.tracing;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import io.micrometer.common.KeyValue;
import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.boot.KeyDisplay;

/** The failure of a call as an observation shows it. */
public final class ObservedFailure {

    /** The name if there is no failure. */
    public static final String NONE = KeyValue.NONE_VALUE;

    private ObservedFailure() {}

    /**
     * Returns the name of a failure.
     *
     * @param failure the failure; {@code null} if there is none
     * @return the simple name of its class, or the full name of an anonymous class, which has no simple one
     */
    public static String nameOf(@Nullable Throwable failure) {
        if (failure == null) {
            return NONE;
        }
        String simpleName = failure.getClass().getSimpleName();
        return simpleName.isEmpty() ? failure.getClass().getName() : simpleName;
    }

    /**
     * Replaces a failure that is or contains an exception of the library, because exporters show its message, which
     * names the key.
     */
    static Throwable errorOf(Throwable failure, KeyDisplay keys) {
        return keys == KeyDisplay.SHOWN || !containsLibraryException(failure) ? failure : new WithoutMessage(failure);
    }

    private static boolean containsLibraryException(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> pending = new ArrayDeque<>(List.of(failure));
        for (Throwable next = pending.poll(); next != null; next = pending.poll()) {
            if (next instanceof IdempotencyException) {
                return true;
            }
            if (seen.add(next)) {
                pending.addAll(List.of(next.getSuppressed()));
                if (next.getCause() != null) {
                    pending.add(next.getCause());
                }
            }
        }
        return false;
    }

    /** The replacement of an exception whose message must not be shown. */
    private static final class WithoutMessage extends RuntimeException {

        private static final long serialVersionUID = 1L;

        WithoutMessage(Throwable failure) {
            super(failure.getClass().getName(), null, false, false);
        }
    }
}
