package io.idempotency.internal.operation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/** Knows which methods are idempotent. Pointcut and interceptors ask the same source. */
public interface IdempotentOperationSource {

    /**
     * Whether a class may have idempotent methods; cheap, and never wrong if it says no.
     *
     * @param type any class
     * @return {@code false} if it has none for certain
     */
    boolean isCandidateClass(Class<?> type);

    /**
     * The operation of a method.
     *
     * @param method as it was called, perhaps an interface's
     * @param targetClass the class of the bean's own object
     * @return the operation; {@code null} if the method is not idempotent
     * @throws io.idempotency.InvalidIdempotentMethodException if it is annotated, but not correctly
     */
    @Nullable IdempotentOperation findOperation(Method method, Class<?> targetClass);
}
