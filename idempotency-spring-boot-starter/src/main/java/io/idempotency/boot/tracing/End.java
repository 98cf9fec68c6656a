package io.idempotency.boot.tracing;

import io.micrometer.common.KeyValue;
import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.boot.IdempotencyProperties.KeyDisplay;

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

    /** Exporters show messages of errors, and those of the library name the key. */
    static Throwable errorOf(Throwable failure, KeyDisplay keys) {
        return failure instanceof IdempotencyException && keys != KeyDisplay.SHOWN
                ? new WithoutMessage(failure)
                : failure;
    }

    /** Stands for an exception whose message is not to be shown. */
    private static final class WithoutMessage extends RuntimeException {

        private static final long serialVersionUID = 1L;

        WithoutMessage(Throwable failure) {
            super(failure.getClass().getName(), null, false, false);
        }
    }
}
