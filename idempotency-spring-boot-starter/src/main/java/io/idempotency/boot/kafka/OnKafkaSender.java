package io.idempotency.boot.kafka;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.idempotency.boot.IdempotencyProperties.OutboxSenderKind;

/** Unless the application wants its messages to stay in the process. */
final class OnKafkaSender extends SpringBootCondition {

    private static final String PROPERTY = "idempotency.outbox.sender";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        OutboxSenderKind kind = Binder.get(context.getEnvironment())
                .bind(PROPERTY, OutboxSenderKind.class)
                .orElse(OutboxSenderKind.AUTO);
        return new ConditionOutcome(kind != OutboxSenderKind.IN_PROCESS, PROPERTY + " is " + kind);
    }
}
