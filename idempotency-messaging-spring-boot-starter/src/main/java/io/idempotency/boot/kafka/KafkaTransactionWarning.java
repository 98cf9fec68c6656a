package io.idempotency.boot.kafka;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor;
import org.springframework.kafka.config.AbstractKafkaListenerContainerFactory;
import org.springframework.util.StringUtils;

import io.idempotency.inbox.Inbox;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.MethodDescription;

/**
 * The warning about listener containers that begin a Kafka transaction around an idempotent method. It ends after the transaction of the
 * database. If it aborts then, the redelivered message is a duplicate, and nothing sends again what the method has sent.
 */
final class KafkaTransactionWarning implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(KafkaTransactionWarning.class);

    private final ConfigurableListableBeanFactory beans;

    private final IdempotentOperationSource operations;

    KafkaTransactionWarning(ConfigurableListableBeanFactory beans, IdempotentOperationSource operations) {
        this.beans = beans;
        this.operations = operations;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> transactional = transactionalFactories();
        if (!transactional.isEmpty()) {
            for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
                Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
                if (type != null) {
                    warn(beanName, type, transactional);
                }
            }
        }
    }

    private Set<String> transactionalFactories() {
        return Arrays.stream(beans.getBeanNamesForType(AbstractKafkaListenerContainerFactory.class, true, false))
                .filter(name -> beans.getBean(name) instanceof AbstractKafkaListenerContainerFactory<?, ?, ?> factory
                        && factory.getContainerProperties().getKafkaAwareTransactionManager() != null)
                .collect(Collectors.toSet());
    }

    private void warn(String beanName, Class<?> type, Set<String> transactional) {
        MetadataLookup<@Nullable Set<String>> lookup = method -> factoriesOf(method, transactional);
        Map<Method, Set<String>> methods = MethodIntrospector.selectMethods(type, lookup);
        Set<String> ofHandlers = factoriesOf(type, transactional);
        if (methods.isEmpty() && ofHandlers == null) {
            return;
        }
        Map<Method, IdempotentOperation> idempotent = idempotentMethods(type);
        boolean callsIdempotent = callsIdempotent(beanName);
        if (ofHandlers != null && (callsIdempotent || !idempotent.isEmpty())) {
            warn(type.getName(), ofHandlers);
        }
        methods.forEach((method, factories) -> {
            if (callsIdempotent || idempotent.containsKey(method)) {
                warn(MethodDescription.of(method), factories);
            }
        });
    }

    private static void warn(String listener, Set<String> factories) {
        logger.warn(
                "The Kafka listener {} handles messages idempotently in a Kafka transaction, because its container factory"
                        + " {} has a Kafka transaction manager. If that transaction aborts after the COMMIT of the"
                        + " database, what was sent in it with a KafkaTemplate is lost, because the redelivered message is a"
                        + " duplicate. Publish with the Outbox instead, and give the listener a container factory without a"
                        + " transaction manager",
                listener,
                String.join(", ", factories));
    }

    /** Returns which of the container factories the listeners on a method or class use; {@code null} if none. */
    private @Nullable Set<String> factoriesOf(AnnotatedElement listener, Set<String> transactional) {
        Set<String> found = MergedAnnotations.from(listener, SearchStrategy.TYPE_HIERARCHY).stream(KafkaListener.class)
                .map(annotation -> factoryName(annotation.getString("containerFactory")))
                .filter(transactional::contains)
                .collect(Collectors.toSet());
        return found.isEmpty() ? null : found;
    }

    private String factoryName(String attribute) {
        String name = new EmbeddedValueResolver(beans).resolveStringValue(attribute);
        return StringUtils.hasText(name)
                ? name
                : KafkaListenerAnnotationBeanPostProcessor.DEFAULT_KAFKA_LISTENER_CONTAINER_FACTORY_BEAN_NAME;
    }

    private Map<Method, IdempotentOperation> idempotentMethods(Class<?> type) {
        MetadataLookup<@Nullable IdempotentOperation> lookup = method -> operations.findOperation(method, type);
        return operations.isCandidateClass(type) ? MethodIntrospector.selectMethods(type, lookup) : Map.of();
    }

    /** Returns whether a bean has the inbox or a bean with idempotent methods injected. */
    private boolean callsIdempotent(String beanName) {
        return Arrays.stream(beans.getDependenciesForBean(beanName))
                .filter(beans::containsBean)
                .map(injected -> AutoProxyUtils.determineTargetClass(beans, injected))
                .anyMatch(type -> type != null
                        && (Inbox.class.isAssignableFrom(type)
                                || !idempotentMethods(type).isEmpty()));
    }
}
