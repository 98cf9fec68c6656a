package io.idempotency.internal.operation;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.response.StorableText;

/**
 * A reference to the object that a method creates, stored for operators.
 *
 * @param idExpression expression of its id over the arguments and {@code #result}; {@code null} if not declared
 */
public record ResultReference(
        @Nullable String type, @Nullable ArgumentExpression idExpression) {

    static final String RESULT_VARIABLE = "result";

    /** Computes the id of the object that one call created. */
    public @Nullable String id(Object target, @Nullable Object[] arguments, @Nullable Object result) {
        if (idExpression == null) {
            return null;
        }
        String id = idExpression.text(target, arguments, RESULT_VARIABLE, result);
        return id == null ? null : StorableText.of(id, Integer.MAX_VALUE);
    }
}
