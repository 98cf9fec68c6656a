package io.idempotency.boot.properties;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** The auto-configuration of the checks of properties. */
@AutoConfiguration
public final class IdempotencyPropertiesAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfigurationPropertiesBindHandlerAdvisor idempotencyDurationsWithUnits() {
        return new DurationsWithUnits();
    }
}
