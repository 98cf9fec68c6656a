package io.idempotency.internal.outbox;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.inbox.ConsumerName;
import io.idempotency.internal.ownership.OwnedName;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;

/** The registry of the methods with {@link OutboxHandler}. They are known as soon as the {@link #checks()} are made. */
public final class OutboxHandlers {

    /** The kind of owned names to which topics belong. */
    public static final String TOPIC = "topic";

    private final ConfigurableListableBeanFactory beans;

    private final JacksonResponseCodec codec;

    private final Map<String, List<HandlerMethod>> byTopic = new LinkedHashMap<>();

    public OutboxHandlers(ConfigurableListableBeanFactory beans, JacksonResponseCodec codec) {
        this.beans = beans;
        this.codec = codec;
    }

    /**
     * Finds the methods without creating a bean.
     *
     * @return checks, each of which adds a method, and throws {@link IdempotencyStartupException} if it cannot handle messages, or two
     *     methods are the same consumer of a topic
     */
    public Stream<Runnable> checks() {
        return Stream.of(beans.getBeanNamesForType(Object.class, true, false))
                .filter(beanName -> !ScopedProxyUtils.isScopedTarget(beanName))
                .flatMap(this::checksOf);
    }

    /** Returns whether there are no methods. */
    public boolean isEmpty() {
        return byTopic.isEmpty();
    }

    /**
     * Returns the topics of the methods.
     *
     * @return each topic once
     */
    public List<String> topics() {
        return List.copyOf(byTopic.keySet());
    }

    /** Returns the topics of the methods, and the consumers that handle them. */
    public Stream<OwnedName> names() {
        return byTopic.values().stream()
                .flatMap(List::stream)
                .flatMap(handler ->
                        Stream.of(new OwnedName(TOPIC, handler.topic()), ConsumerName.owned(handler.consumer())));
    }

    List<HandlerMethod> of(String topic) {
        return byTopic.getOrDefault(topic, List.of());
    }

    Callable<Void> prepare(HandlerMethod handler, OutboxRecord message) throws OtherVersionException {
        return handler.prepare(beans, codec, message);
    }

    private Stream<Runnable> checksOf(String beanName) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
        if (type == null || !AnnotationUtils.isCandidateClass(type, OutboxHandler.class)) {
            return Stream.empty();
        }
        Map<Method, OutboxHandler> methods =
                MethodIntrospector.selectMethods(type, (MetadataLookup<@Nullable OutboxHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxHandler.class));
        return methods.entrySet().stream().map(method -> () -> add(beanName, method.getKey(), method.getValue()));
    }

    private void add(String beanName, Method method, OutboxHandler annotation) {
        String topic = resolve(annotation.topic());
        String consumer = annotation.consumer().isEmpty() ? topic : resolve(annotation.consumer());
        HandlerMethod handler = new HandlerMethod(beanName, invocable(beanName, method), topic, consumer);
        List<HandlerMethod> ofTopic = byTopic.computeIfAbsent(topic, first -> new ArrayList<>());
        for (HandlerMethod other : ofTopic) {
            if (other.consumer().equals(consumer) && !other.equals(handler)) {
                throw new IdempotencyStartupException(
                        HandlerMethod.description(method) + " and "
                                + HandlerMethod.description(other.method()) + " both handle the topic '" + topic
                                + "' as the consumer '" + consumer + "', so a message would reach one of them only.",
                        "Give each a consumer of its own in the annotation. The one that was there first keeps '"
                                + consumer + "', or it would handle old messages again.");
            }
        }
        // The checks are made again if a first report was incomplete.
        if (!ofTopic.contains(handler)) {
            ofTopic.add(handler);
        }
    }

    private Method invocable(String beanName, Method method) {
        Class<?> proxied = beans.getType(beanName, false);
        try {
            return proxied == null ? method : AopUtils.selectInvocableMethod(method, proxied);
        } catch (IllegalStateException notExposed) {
            throw new IdempotencyStartupException(
                    HandlerMethod.description(method) + " cannot be called through the proxy of its bean: "
                            + notExposed.getMessage(),
                    "Declare the method in the bean's interface, or let the bean be proxied by its class.",
                    notExposed);
        }
    }

    private String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }
}
