package io.idempotency.proof;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/** Prepares the application contexts of each {@link IdempotencyProof}. */
final class ProofContextCustomizerFactory implements ContextCustomizerFactory {

    private static final String DATA_SOURCE_URL = "spring.datasource.url";

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        requireInterface(testClass);
        return isPartOfProof(testClass) ? new Customizer() : null;
    }

    /** A nested class shares the context of the one around it. */
    private static boolean isPartOfProof(Class<?> testClass) {
        return IdempotencyProof.class.isAssignableFrom(testClass)
                || (ClassUtils.isInnerClass(testClass) && isPartOfProof(testClass.getEnclosingClass()));
    }

    /** Spring asks for no context of a nested class that has scenarios alone. */
    private static void requireInterface(Class<?> testClass) {
        if (!IdempotencyProof.class.isAssignableFrom(testClass)
                && !Proof.scenariosOf(testClass).isEmpty()) {
            throw new IllegalStateException(
                    testClass.getName() + " has methods with @IdempotencyScenario, which nothing runs"
                            + " unless it implements " + IdempotencyProof.class.getSimpleName());
        }
        Stream.of(testClass.getDeclaredClasses())
                .filter(nested -> AnnotatedElementUtils.hasAnnotation(nested, Nested.class))
                .forEach(ProofContextCustomizerFactory::requireInterface);
    }

    /** Equal to all others, so that test classes share contexts. */
    private record Customizer() implements ContextCustomizer {

        private static final boolean HAS_MESSAGES =
                ClassUtils.isPresent("io.idempotency.messaging.MessagingListener", Customizer.class.getClassLoader());

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            SecondInstance secondInstance = new SecondInstance(context, configuration);
            boolean isSecond = SecondInstance.isStarting();
            addProperties(context.getEnvironment(), isSecond);
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            Map<String, DataSource> shared = isSecond ? SecondInstance.dataSourcesOfFirst() : Map.of();
            beans.addBeanPostProcessor(new ProbedDataSources(shared));
            beans.registerSingleton("idempotencyProofObservedCalls", ObservedCalls.INSTANCE);
            if (HAS_MESSAGES) {
                beans.registerSingleton("idempotencyProofObservedDeliveries", new ObservedDeliveries());
            }
            beans.registerSingleton("idempotencyEffectProbe", EffectProbe.INSTANCE);
            beans.registerSingleton("idempotencyProofSecondInstance", secondInstance);
            context.addApplicationListener(secondInstance);
            // What runs by the clock would be taken for an effect of whatever scenario runs meanwhile.
            context.addBeanFactoryPostProcessor(factory -> remove(
                    (BeanDefinitionRegistry) factory,
                    TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME));
        }

        private static void remove(BeanDefinitionRegistry registry, String bean) {
            if (registry.containsBeanDefinition(bean)) {
                registry.removeBeanDefinition(bean);
            }
        }

        private static void addProperties(ConfigurableEnvironment environment, boolean isSecond) {
            Map<String, Object> properties = new LinkedHashMap<>();
            properties.put("idempotency.purge.enabled", "false");
            properties.put("idempotency.sample-interval", "1d");
            if (HAS_MESSAGES) {
                // Messages are compared as rows, and not sent in the middle of a run. Without messages there are no
                // such properties.
                properties.put("idempotency.outbox.relay", "false");
                properties.put("idempotency.resume.enabled", "false");
                properties.put("idempotency.storage.maintenance-interval", "1d");
            }
            properties.put("idempotency.retry.delay", "1ms");
            properties.put("idempotency.retry.max-delay", "10ms");
            if (isSecond) {
                properties.put("server.port", "0");
                properties.put("spring.jmx.enabled", "false");
                properties.put("spring.sql.init.mode", "never");
                properties.put("spring.jpa.hibernate.ddl-auto", "none");
            }
            MutablePropertySources sources = environment.getPropertySources();
            sources.addFirst(new MapPropertySource("idempotency-proof", properties));
            if (isEmbeddedServerWanted(sources)) {
                sources.addAfter(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new MapPropertySource("idempotency-proof-database", EmbeddedServer.connection()));
            }
        }

        /** Only files of the application are ignored, because those name the database that it has when it is no test. */
        private static boolean isEmbeddedServerWanted(MutablePropertySources sources) {
            if (!ClassUtils.isPresent("io.zonky.test.db.postgres.embedded.EmbeddedPostgres", null)
                    || !sources.contains(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
                return false;
            }
            return sources.stream()
                    .takeWhile(source -> !source.getName().startsWith("Config resource"))
                    .filter(source -> !source.getName().equals("configurationProperties"))
                    .noneMatch(source -> source.containsProperty(DATA_SOURCE_URL)
                            || source.containsProperty("SPRING_DATASOURCE_URL"));
        }
    }
}
