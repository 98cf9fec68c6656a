package io.idempotency.boot.messaging.operations;

import java.time.Clock;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.actuate.EndpointPart;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.HandledMessage;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.messaging.PendingMessage;

/** The auto-configuration of messages in the endpoint, in health and in gauges. */
@AutoConfiguration(after = IdempotencyMessagingAutoConfiguration.class)
@ConditionalOnBean(MessagingAdministration.class)
@EnableConfigurationProperties({
    IdempotencyMessagingHealthProperties.class,
    IdempotencyOutboxProperties.class,
    IdempotencyProperties.class
})
@RegisterReflectionForBinding({
    DeadMessage.class,
    FailingMessage.class,
    HandledMessage.class,
    MessagingEndpointPart.Requeued.class,
    OutboxSampled.class,
    PartitionSample.class,
    PendingMessage.class
})
public final class IdempotencyMessagingOperationsAutoConfiguration {

    @Bean
    @Order(1)
    EndpointPart idempotencyMessagingEndpointPart(MessagingAdministration administration) {
        return new MessagingEndpointPart(administration);
    }

    @Bean
    @Order(1)
    OutboxPart idempotencyOutboxPart(
            IdempotencyOutboxProperties properties, IdempotencyMessagingHealthProperties health) {
        return new OutboxPart(properties.sampleInterval(), health.maxOutboxAge(), Clock.systemUTC());
    }

    @Bean
    @Order(2)
    PartitionsPart idempotencyPartitionsPart(IdempotencyProperties properties) {
        return new PartitionsPart(properties.sampleInterval(), Clock.systemUTC());
    }
}
