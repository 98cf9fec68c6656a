package io.idempotency.internal.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.internal.fingerprint.JsonFailures;
import io.idempotency.internal.inbox.ConsumerName;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;

/**
 * A method with {@link io.idempotency.outbox.OutboxHandler}, which handles the messages of a topic.
 *
 * @param beanName the name of its bean, which is looked up when a message arrives, so that it may be lazy
 * @param method the method, as it can be invoked on the bean
 */
record HandlerMethod(String beanName, Method method, String topic, String consumer) {

    private static final List<Propagation> NOT_JOINING =
            List.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    HandlerMethod {
        String description = description(method);
        if (method.getReturnType() != void.class) {
            throw new IdempotencyStartupException(
                    description + " returns something, which nobody would receive.",
                    "Let it return nothing; asynchronous work would not be part of its transaction.");
        }
        long payloads = List.of(method.getParameterTypes()).stream()
                .filter(type -> type != OutboxRecord.class)
                .count();
        int count = method.getParameterCount();
        if (count == 0 || count > 2 || payloads > 1 || (count == 2 && payloads == 0)) {
            throw new IdempotencyStartupException(
                    description + " has parameters that a message cannot give.",
                    "Let it take the payload, or the OutboxRecord, or one of each.");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)) {
            throw new IdempotencyStartupException(
                    description + " is @Async, so the message would count as handled before it is, and be lost if that"
                            + " fails.",
                    "Remove @Async: the method runs on a thread of its own, in the transaction of the inbox.");
        }
        Transactional transactional = transactional(method);
        if (transactional != null && NOT_JOINING.contains(transactional.propagation())) {
            throw new IdempotencyStartupException(
                    description + " is @Transactional with the propagation " + transactional.propagation()
                            + ", so its effect would not commit together with the message's having been handled.",
                    "Remove the propagation: the method runs in the transaction of the inbox.");
        }
        Idempotent idempotent = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
        if (idempotent != null && idempotent.mode() == IdempotencyMode.LEASED) {
            throw new IdempotencyStartupException(
                    description + " is @Idempotent with the mode LEASED, whose lease has to be committed before any"
                            + " transaction, but it runs in the transaction of the inbox: each message would fail.",
                    "Remove @Idempotent: the inbox handles each message once. To call another system, send it"
                            + " OutboxRecord.id() as the key.");
        }
        IdempotentReceiver receiver = AnnotatedElementUtils.findMergedAnnotation(method, IdempotentReceiver.class);
        if (receiver != null && receiver.consumer().equals(consumer)) {
            throw new IdempotencyStartupException(
                    description + " is an @IdempotentReceiver as the consumer '" + consumer
                            + "', for which the inbox has claimed each message already: each would fail.",
                    "Remove @IdempotentReceiver, or give it another consumer if it keeps the order of a stream.");
        }
        try {
            ConsumerName.require(consumer);
        } catch (IllegalArgumentException malformed) {
            throw new IdempotencyStartupException(
                    description + ": " + malformed.getMessage() + ".",
                    "Correct the consumer of the annotation, or name one if the topic is too long for it.",
                    malformed);
        }
        try {
            OutboxMessage.of(topic, "any");
        } catch (IllegalArgumentException unpublishable) {
            throw new IdempotencyStartupException(
                    description + " would never be called: " + unpublishable.getMessage() + ".",
                    "Correct the topic of the annotation.",
                    unpublishable);
        }
        ReflectionUtils.makeAccessible(method);
    }

    private static @Nullable Transactional transactional(Method method) {
        Transactional ofMethod = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
        return ofMethod != null
                ? ofMethod
                : AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), Transactional.class);
    }

    static String description(Method method) {
        return "@OutboxHandler " + method.getDeclaringClass().getName() + "." + method.getName();
    }

    /**
     * Reads the payload.
     *
     * @throws OtherVersionException if this version of the method cannot take the payload
     */
    Callable<Void> prepare(BeanFactory beans, JacksonResponseCodec codec, OutboxRecord message)
            throws OtherVersionException {
        Type[] types = method.getGenericParameterTypes();
        @Nullable Object[] arguments = new @Nullable Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == OutboxRecord.class ? message : read(codec, message, types[i]);
        }
        return () -> invoke(beans.getBean(beanName), arguments);
    }

    private @Nullable Object read(JacksonResponseCodec codec, OutboxRecord message, Type type)
            throws OtherVersionException {
        try {
            return codec.decodeForeign(message.payload() == null ? ResponseMapper.NULL_BODY : message.payload(), type);
        } catch (RuntimeException | LinkageError | StackOverflowError unreadable) {
            Throwable cause = JsonFailures.withoutValues(unreadable);
            throw new OtherVersionException(
                    "The payload of the " + message + " cannot be read as " + type.getTypeName()
                            + " by this version of " + description(method) + ", because " + cause.getMessage(),
                    cause);
        }
    }

    private @Nullable Void invoke(Object bean, @Nullable Object[] arguments) throws Exception {
        try {
            method.invoke(bean, arguments);
            return null;
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            if (cause instanceof Exception exception) {
                throw exception;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new UndeclaredThrowableException(cause);
        }
    }
}
