package io.idempotency.operation;

import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

import io.idempotency.InvalidIdempotentMethodException;

/** A response must be complete when the method returns, and its type must tell what a replay is to be read as. */
final class ReturnTypeRule implements OperationRule {

    private static final List<Class<?>> NOT_COMPLETE_ON_RETURN = List.of(
            Future.class,
            CompletionStage.class,
            Flow.Publisher.class,
            BaseStream.class,
            Iterator.class,
            java.io.InputStream.class,
            java.io.Reader.class);

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        Class<?> returned = operation.method().getReturnType();
        if (KotlinDetector.isSuspendingFunction(operation.method())
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null
                || NOT_COMPLETE_ON_RETURN.stream().anyMatch(type -> type.isAssignableFrom(returned))) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns " + returned.getName()
                            + ", which is not complete when the method returns, so it cannot be stored with the effect.",
                    "Return the result itself; call the method from asynchronous code instead of making it so.");
        }
        Type responseType = operation.responseType();
        if (responseType == Object.class || responseType instanceof TypeVariable<?>) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns " + responseType.getTypeName()
                            + ", which does not tell what a stored response is to be read as.",
                    "Declare the type of the response.");
        }
    }
}
