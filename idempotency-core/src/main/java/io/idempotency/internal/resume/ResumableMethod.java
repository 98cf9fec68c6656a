package io.idempotency.internal.resume;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

import io.idempotency.UnreadableResponseException;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.codec.ResponseMapper;
import io.idempotency.internal.operation.IdempotentOperation;

import static java.util.Objects.requireNonNull;

/**
 * A method whose calls are resumed.
 *
 * @param beanName the name of its bean, which is looked up for each call
 * @param method the method, as it can be invoked on the bean
 * @param operation the operation of its annotation
 */
record ResumableMethod(String beanName, Method method, IdempotentOperation operation) {

    ResumableMethod {
        ReflectionUtils.makeAccessible(method);
    }

    /** Calls the method through its proxy. */
    @Nullable Object call(BeanFactory beans, ResponseMapper codecs, DueCall due) throws Throwable {
        List<Type> types = requireNonNull(operation.storedArguments());
        if (types.size() != due.arguments().size()) {
            throw new IllegalStateException("The " + due.intent() + " was called with "
                    + due.arguments().size() + " arguments, but " + operation.describe() + " takes " + types.size()
                    + ": run code that takes them, or complete the request by hand");
        }
        @Nullable Object[] arguments = new @Nullable Object[types.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = read(codecs, due, i, types.get(i));
        }
        try {
            return method.invoke(beans.getBean(beanName), arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }

    private @Nullable Object read(ResponseMapper codecs, DueCall due, int index, Type type) {
        try {
            return codecs.read(due.intent(), due.arguments().get(index), type);
        } catch (UnreadableResponseException unreadable) {
            throw new IllegalStateException(
                    "The argument " + (index + 1) + " of the " + due.intent() + " cannot be read as "
                            + type.getTypeName() + ": run code that reads it, or complete the request by hand",
                    unreadable.getCause());
        }
    }
}
