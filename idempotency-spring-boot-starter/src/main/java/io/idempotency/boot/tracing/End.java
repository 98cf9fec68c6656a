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

/** How observations show the end of what they observe. */
final class End {

    static final String UNKNOWN = "unknown";

    static final String NONE = KeyValue.NONE_VALUE;

    private End() {}

    /** The simple name of its class; an anonymous class has none. */
    static String nameOf(@Nullable Throwable failure) {
        if (failure == null) {
            return NONE;
        }
        String simpleName = failure.getClass().getSimpleName();
        return simpleName.isEmpty() ? failure.getClass().getName() : simpleName;
    }

    /** Exporters show messages of errors and of what those carry, and the library's own name the key. */
    static Throwable errorOf(Throwable failure, KeyDisplay keys) {
        return keys == KeyDisplay.SHOWN || !isOrCarriesOneOfTheLibrary(failure) ? failure : new WithoutMessage(failure);
    }

    private static boolean isOrCarriesOneOfTheLibrary(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> toSee = new ArrayDeque<>(List.of(failure));
        for (Throwable next = toSee.poll(); next != null; next = toSee.poll()) {
            if (next instanceof IdempotencyException) {
                return true;
            }
            if (seen.add(next)) {
                toSee.addAll(List.of(next.getSuppressed()));
                if (next.getCause() != null) {
                    toSee.add(next.getCause());
                }
            }
        }
        return false;
    }

    /** Stands for an exception whose message is not to be shown. */
    private static final class WithoutMessage extends RuntimeException {

        private static final long serialVersionUID = 1L;

        WithoutMessage(Throwable failure) {
            super(failure.getClass().getName(), null, false, false);
        }
    }
}
