package io.idempotency.internal.resume;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

import io.idempotency.UnreadableResponseException;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.outbox.OtherVersionException;
import io.idempotency.internal.response.ResponseMapper;

import static java.util.Objects.requireNonNull;

/**
 * A method whose calls are resumed.
 *
 * @param beanName the name of its bean, which is looked up for each call
 * @param method the method, as it can be invoked on the bean
 */
record ResumableMethod(String beanName, Method method, CallOperation operation) {

    ResumableMethod {
        ReflectionUtils.makeAccessible(method);
    }

    /**
     * Reads the arguments of a call, and makes sure that this version of the method would have stored the same call.
     *
     * @throws OtherVersionException if it would have not
     */
    Invocation prepare(
            BeanFactory beans, ResponseMapper codecs, Fingerprinter fingerprinter, DueCall due, Fingerprint fingerprint)
            throws OtherVersionException {
        try {
            @Nullable Object[] arguments = read(codecs, due, due.arguments());
            Object bean = beans.getBean(beanName);
            requireSameCall(due, fingerprint, targetOf(bean), arguments, fingerprinter);
            return () -> call(bean, arguments);
        } catch (RuntimeException | LinkageError | StackOverflowError other) {
            throw new OtherVersionException(
                    "The " + due.intent() + " cannot be resumed by this version of " + operation.describe()
                            + ", because " + other.getMessage(),
                    other);
        }
    }

    private @Nullable Object[] read(ResponseMapper codecs, DueCall due, Map<String, String> stored) {
        Map<String, Type> parameters = requireNonNull(operation.storedArguments());
        if (!parameters.keySet().equals(stored.keySet())) {
            throw new IllegalStateException(
                    "it was called with the arguments " + stored.keySet() + ", and takes " + parameters.keySet());
        }
        List<@Nullable Object> arguments = new ArrayList<>();
        parameters.forEach(
                (name, type) -> arguments.add(read(codecs, due, name, requireNonNull(stored.get(name)), type)));
        return arguments.toArray();
    }

    private static @Nullable Object read(ResponseMapper codecs, DueCall due, String name, String json, Type type) {
        try {
            return codecs.readUnchanged(due.intent(), json, type);
        } catch (UnreadableResponseException unreadable) {
            Throwable cause = requireNonNull(unreadable.getCause());
            throw new IllegalStateException(
                    "the argument '" + name + "' cannot be read as " + type.getTypeName() + ": " + cause.getMessage(),
                    cause);
        }
    }

    private void requireSameCall(
            DueCall due,
            Fingerprint fingerprint,
            Object target,
            @Nullable Object[] arguments,
            Fingerprinter fingerprinter) {
        if (!operation.key(target, arguments).equals(due.intent().key())) {
            throw new IllegalStateException("its arguments give another key");
        }
        if (fingerprint.contradicts(operation.fingerprint(target, arguments, fingerprinter))) {
            throw new IllegalStateException("its arguments give another fingerprint");
        }
    }

    /** Returns the root of expressions. It is the proxy of a bean whose object belongs to a scope. */
    private static Object targetOf(Object bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : targetOf(target);
    }

    private @Nullable Object call(Object bean, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(bean, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
