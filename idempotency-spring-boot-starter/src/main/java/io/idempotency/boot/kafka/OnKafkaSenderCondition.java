package io.idempotency.boot.kafka;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.idempotency.boot.outbox.IdempotencyOutboxProperties.Sender;

/** The condition that matches unless messages are handled in the process. */
final class OnKafkaSenderCondition extends SpringBootCondition {

    private static final String PROPERTY = "idempotency.outbox.sender";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Sender sender = Binder.get(context.getEnvironment())
                .bind(PROPERTY, Sender.class)
                .orElse(Sender.AUTO);
        return new ConditionOutcome(sender != Sender.IN_PROCESS, PROPERTY + " is " + sender);
    }
}
