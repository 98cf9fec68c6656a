package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Set;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule that a result is complete when the method returns, and that the type of a response decides how a replay is read. */
final class ReturnTypeRule implements OperationRule {

    private static final NamedTypes READ_AFTERWARDS = new NamedTypes(
            "java.io.InputStream",
            "java.io.Reader",
            "java.util.Iterator",
            "java.util.stream.BaseStream",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final NamedTypes COMPLETE_LATER = new NamedTypes(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "java.util.concurrent.Future",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

    /** Types that Spring MVC renders, and that cannot be read back from JSON. */
    private static final NamedTypes NOT_DATA = new NamedTypes(
            "org.springframework.http.HttpHeaders",
            "org.springframework.ui.Model",
            "org.springframework.ui.ModelMap",
            "org.springframework.web.ErrorResponse",
            "org.springframework.web.servlet.ModelAndView",
            "org.springframework.web.servlet.View");

    private static final NamedTypes ENTITIES = new NamedTypes("org.springframework.http.HttpEntity");

    private static final Set<String> REPLAYED_ENTITIES =
            Set.of("org.springframework.http.HttpEntity", "org.springframework.http.ResponseEntity");

    private static final NamedTypes WRAPPERS =
            new NamedTypes("java.util.Optional", "org.springframework.http.HttpEntity");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (KotlinFunction.isSuspending(operation.method())) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " is a suspend function of Kotlin, which is not complete when it returns, so it cannot be kept"
                            + " together with the effect.",
                    "Remove suspend. A suspend function may call this one, on a dispatcher for code that blocks, such as"
                            + " Dispatchers.IO; see docs/kotlin.md.");
        }
        Class<?> returned = operation.method().getReturnType();
        ResolvableType type = ResolvableType.forType(operation.responseType());
        if (READ_AFTERWARDS.areIn(type)) {
            throw notComplete(
                    operation,
                    "Return the result itself, such as a List, a String or a byte[]; or an id by which another request"
                            + " fetches the content.");
        }
        if (ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null || COMPLETE_LATER.areIn(type)) {
            throw notComplete(
                    operation,
                    "Return the result itself; call the method from asynchronous code instead of making it so.");
        }
        if (operation instanceof CallOperation) {
            requireReplayable(operation, returned, type);
        }
    }

    private static void requireReplayable(IdempotentOperation operation, Class<?> returned, ResolvableType type) {
        if (NOT_DATA.include(returned)
                || (ENTITIES.include(returned) && !REPLAYED_ENTITIES.contains(returned.getName()))) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns " + returned.getName()
                            + ", which is more than the data that can be stored and replayed.",
                    "Return the data itself, or a ResponseEntity of it.");
        }
        if (isChosenByCaller(operation.method().getGenericReturnType()) || isUnknown(type)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " returns "
                            + operation.responseType().getTypeName()
                            + ", which does not tell what a stored response is to be read as.",
                    "Declare the type of the response."
                            + (KotlinFunction.isMangled(operation.method())
                                    ? " Kotlin's Result cannot be stored, nor can a value class of Any or of a type parameter:"
                                            + " return the value itself, and throw a failure."
                                    : ""));
        }
    }

    private static InvalidIdempotentMethodException notComplete(IdempotentOperation operation, String action) {
        return new InvalidIdempotentMethodException(
                "The idempotent method " + operation.describe() + " returns "
                        + operation.responseType().getTypeName()
                        + ", which is not complete when the method returns, so it cannot be kept together with the effect.",
                action);
    }

    /** Returns whether each caller may choose another type. */
    private static boolean isChosenByCaller(Type declared) {
        return declared instanceof TypeVariable<?> variable && variable.getGenericDeclaration() instanceof Method;
    }

    private static boolean isUnknown(ResolvableType type) {
        Class<?> raw = type.resolve(Object.class);
        return raw == Object.class
                || type.getType() instanceof TypeVariable<?>
                || (WRAPPERS.include(raw) && isUnknown(type.getGeneric(0)));
    }
}
