package io.idempotency.internal.operation;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.codec.StorableText;

/**
 * Names what a method made, for operators who look at the row.
 *
 * @param type what kind of thing; {@code null} if not told
 * @param idExpression which thing, over the arguments and {@code #result}; {@code null} if not told
 */
public record ResultReference(
        @Nullable String type, @Nullable ArgumentExpression idExpression) {

    static final String RESULT_VARIABLE = "result";

    /** Names nothing. */
    public static final ResultReference NONE = new ResultReference(null, null);

    /**
     * Whether there is nothing to be stored.
     *
     * @return {@code true} if neither type nor id is told
     */
    public boolean isEmpty() {
        return type == null && idExpression == null;
    }

    /**
     * Which thing one call made.
     *
     * @param target the bean's own object
     * @param arguments of the call
     * @param result what the method returned
     * @return its id as text; {@code null} if not told
     */
    public @Nullable String id(Object target, @Nullable Object[] arguments, @Nullable Object result) {
        if (idExpression == null) {
            return null;
        }
        Object id = idExpression.evaluate(target, arguments, RESULT_VARIABLE, result);
        return id == null ? null : StorableText.of(id.toString(), Integer.MAX_VALUE);
    }
}
