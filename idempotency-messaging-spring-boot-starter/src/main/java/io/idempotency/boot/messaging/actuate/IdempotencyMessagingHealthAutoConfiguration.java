package io.idempotency.boot.messaging.actuate;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.actuate.HealthPart;
import io.idempotency.boot.actuate.IdempotencyHealthAutoConfiguration;
import io.idempotency.boot.actuate.IdempotencyHealthProperties;

/** The auto-configuration of messages in the health of the library's tables. */
@AutoConfiguration(after = IdempotencyHealthAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(name = "idempotencyHealthContributor")
@EnableConfigurationProperties({IdempotencyHealthProperties.class, IdempotencyMessagingHealthProperties.class})
@Import(MessagingSamplesConfiguration.class)
public final class IdempotencyMessagingHealthAutoConfiguration {

    @Bean
    HealthPart idempotencyMessagingHealthPart(
            LatestMessagingSamples samples,
            IdempotencyHealthProperties common,
            IdempotencyMessagingHealthProperties properties) {
        return new MessagingHealthPart(samples, common, properties);
    }
}
