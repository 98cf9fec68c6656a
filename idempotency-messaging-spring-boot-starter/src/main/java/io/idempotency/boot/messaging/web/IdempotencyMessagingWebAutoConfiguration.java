package io.idempotency.boot.messaging.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.web.IdempotencyWebAutoConfiguration;
import io.idempotency.boot.web.UsedKeys;
import io.idempotency.messaging.MessagingListener;

/** The auto-configuration of the check that keys of deliveries over HTTP are used, in applications with Spring MVC. */
@AutoConfiguration(after = IdempotencyWebAutoConfiguration.class)
@ConditionalOnBean(UsedKeys.class)
public final class IdempotencyMessagingWebAutoConfiguration {

    @Bean
    MessagingListener idempotencyDeliveriesUseKeys(UsedKeys keys) {
        return new DeliveriesUseKeys(keys);
    }
}
