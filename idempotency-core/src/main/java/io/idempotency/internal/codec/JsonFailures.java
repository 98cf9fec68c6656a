package io.idempotency.internal.codec;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import tools.jackson.core.JacksonException;

/** Failures of Jackson without what it quotes: values of payloads and responses belong into no log. Internal. */
public final class JsonFailures {

    private JsonFailures() {}

    /**
     * Leaves out what Jackson says of values.
     *
     * @param failure of a codec
     * @return the same failure if Jackson is no part of it; otherwise its type, the path to the value and the stack trace
     */
    public static Throwable withoutValues(Throwable failure) {
        JacksonException ofJackson = findIn(failure, JacksonException.class);
        if (ofJackson == null) {
            return failure;
        }
        RuntimeException safe = new IllegalStateException(describe(ofJackson));
        safe.setStackTrace(ofJackson.getStackTrace());
        return safe;
    }

    private static String describe(JacksonException failure) {
        Throwable root = NestedExceptionUtils.getRootCause(failure);
        String path = failure.getPathReference();
        return failure.getClass().getName()
                + (path.isEmpty() ? "" : " at " + path)
                + (root == null ? "" : " because of " + root.getClass().getName())
                + " (what it says is left out, because it may quote values)";
    }

    /** Returns the first cause of a type, or {@code null} if there is none: serializers wrap what they catch. */
    static <T extends Throwable> @Nullable T findIn(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
