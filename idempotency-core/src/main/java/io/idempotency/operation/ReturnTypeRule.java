package io.idempotency.operation;

import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

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

    private static final NamedTypes STREAMED = new NamedTypes(
            "java.util.concurrent.Callable",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final NamedTypes WRAPPERS =
            new NamedTypes("java.util.Optional", "org.springframework.http.HttpEntity");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        Class<?> returned = operation.method().getReturnType();
        if (KotlinDetector.isSuspendingFunction(operation.method())
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null
                || isNotComplete(ResolvableType.forType(operation.responseType()))) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns "
                            + operation.responseType().getTypeName()
                            + ", which is not complete when the method returns, so it cannot be stored with the effect.",
                    "Return the result itself; call the method from asynchronous code instead of making it so.");
        }
        if (isUnknown(ResolvableType.forType(operation.responseType()))) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns "
                            + operation.responseType().getTypeName()
                            + ", which does not tell what a stored response is to be read as.",
                    "Declare the type of the response.");
        }
    }

    /** What an answer wraps counts too. */
    private static boolean isNotComplete(ResolvableType type) {
        Class<?> raw = type.resolve();
        return (raw != null && (STREAMED.include(raw) || isAnyOf(raw)))
                || Arrays.stream(type.getGenerics()).anyMatch(ReturnTypeRule::isNotComplete);
    }

    private static boolean isUnknown(ResolvableType type) {
        Class<?> raw = type.resolve(Object.class);
        return raw == Object.class
                || type.getType() instanceof TypeVariable<?>
                || (WRAPPERS.include(raw) && isUnknown(type.getGeneric(0)));
    }

    private static boolean isAnyOf(Class<?> raw) {
        return NOT_COMPLETE_ON_RETURN.stream().anyMatch(type -> type.isAssignableFrom(raw));
    }
}
