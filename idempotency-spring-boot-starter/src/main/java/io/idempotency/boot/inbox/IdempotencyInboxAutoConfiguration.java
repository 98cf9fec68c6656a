package io.idempotency.boot.inbox;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.observation.IdempotencyListener;

/** Logs what became of received messages. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyInboxAutoConfiguration {

    @Bean
    IdempotencyListener idempotencyMessageLog() {
        return new MessageLog();
    }
}
