package io.idempotency.internal.fingerprint;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import tools.jackson.core.JacksonException;

/** A filter of Jackson's failures, which removes values of payloads and responses from logs. */
public final class JsonFailures {

    private JsonFailures() {}

    /**
     * Replaces a failure of Jackson by one without its message.
     *
     * @return the same failure if Jackson did not cause it; otherwise a failure with its type, the path to the value
     *     and the stack trace
     */
    public static Throwable withoutValues(Throwable failure) {
        JacksonException jacksonFailure = findIn(failure, JacksonException.class);
        if (jacksonFailure == null) {
            return failure;
        }
        RuntimeException safe = new IllegalStateException(describe(jacksonFailure));
        safe.setStackTrace(jacksonFailure.getStackTrace());
        return safe;
    }

    private static String describe(JacksonException failure) {
        RefusedPayloadException refused = findIn(failure, RefusedPayloadException.class);
        if (refused != null) {
            return refused.describe();
        }
        Throwable root = NestedExceptionUtils.getRootCause(failure);
        String path = failure.getPathReference();
        return failure.getClass().getName()
                + (path.isEmpty() ? "" : " at " + path)
                + (root == null ? "" : " because of " + root.getClass().getName())
                + " (its message is left out, because it may quote values)";
    }

    /** Returns the first cause of a type, which serializers may have wrapped, or {@code null} if there is none. */
    static <T extends Throwable> @Nullable T findIn(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
