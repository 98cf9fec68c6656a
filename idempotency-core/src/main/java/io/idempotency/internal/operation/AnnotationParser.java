package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/** The parser of the annotation of one kind of operation. */
public interface AnnotationParser<A extends Annotation> {

    /** {@return the kind of its operations} */
    OperationKind kind();

    /** {@return the type of the annotation} */
    Class<A> annotationType();

    /**
     * Parses the annotation of one method.
     *
     * @param method method of the bean's own class
     * @throws io.idempotency.InvalidIdempotentMethodException if the annotation is not valid
     */
    IdempotentOperation parse(A annotation, Method method, Class<?> targetClass);
}
