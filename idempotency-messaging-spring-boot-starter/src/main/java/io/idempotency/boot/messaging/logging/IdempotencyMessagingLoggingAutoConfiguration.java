package io.idempotency.boot.messaging.logging;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingProperties;
import io.idempotency.boot.logging.LoggedKeys;
import io.idempotency.messaging.MessagingListener;

/** The auto-configuration of the log of messages. Each feature has a logger whose level can be set. */
@AutoConfiguration(after = IdempotencyLoggingAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyLoggingProperties.class)
public final class IdempotencyMessagingLoggingAutoConfiguration {

    @Bean
    MessagingListener idempotencyDeliveryLog(IdempotencyLoggingProperties properties) {
        return new DeliveryLog(new LoggedKeys(properties.keys()));
    }

    @Bean
    MessagingListener idempotencyOutboxLog() {
        return new OutboxLog();
    }
}
