package io.idempotency.boot.properties;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;

import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.OperationKind;

/** The auto-configuration of the checks of properties, which the library makes also if it is switched off. */
@AutoConfiguration
@ImportRuntimeHints(IdempotencyPropertiesAutoConfiguration.Metadata.class)
public final class IdempotencyPropertiesAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfigurationPropertiesBindHandlerAdvisor idempotencyDurationsWithUnits() {
        return new DurationsWithUnits();
    }

    /** Early, so that a misspelt property is reported before anything that follows from its absence. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryPostProcessor idempotencyPropertyNames(ConfigurableEnvironment environment) {
        return beans -> PropertyNames.read(Objects.requireNonNull(beans.getBeanClassLoader()))
                .check(environment.getPropertySources());
    }

    /** Exists also where no method is idempotent, because checks and warnings are about annotated methods. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OperationKind idempotentCalls() {
        return CallOperation.KIND;
    }

    @Bean
    @Lazy(false)
    @ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
    UnprotectedBeans idempotencyUnprotectedBeans(
            ConfigurableListableBeanFactory beans, ObjectProvider<OperationKind> kinds) {
        return new UnprotectedBeans(beans, kinds.orderedStream().toList());
    }

    /** The hints that include the metadata in a native image. */
    static final class Metadata implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern(PropertyNames.METADATA);
        }
    }
}
