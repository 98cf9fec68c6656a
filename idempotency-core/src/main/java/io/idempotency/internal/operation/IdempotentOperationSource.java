package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The source of idempotent operations, which the pointcut, the interceptor and the rules share. */
public interface IdempotentOperationSource {

    /** {@return the kinds of its operations} */
    List<OperationKind> kinds();

    /**
     * Returns whether a class may have idempotent methods; a cheap check.
     *
     * @return {@code false} if it certainly has none
     */
    boolean isCandidateClass(Class<?> type);

    /**
     * Finds the operation of a method.
     *
     * @return the operation; {@code null} if the method is not idempotent
     * @throws io.idempotency.InvalidIdempotentMethodException if its annotation is not valid
     */
    @Nullable IdempotentOperation findOperation(Method method, Class<?> targetClass);
}
