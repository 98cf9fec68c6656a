package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;

/**
 * A kind of idempotent operation: its annotation, and the words for it in error messages.
 *
 * @param scopeName what the scope of its methods is called; it is stored with the owners of names
 * @param stored what is stored by a scope that one method already has
 */
public record OperationKind(
        Class<? extends Annotation> annotation, String purpose, String scopeName, String keyName, String stored) {

    /** {@return the simple name of the annotation with {@code @}} */
    public String displayName() {
        return "@" + annotation.getSimpleName();
    }
}
