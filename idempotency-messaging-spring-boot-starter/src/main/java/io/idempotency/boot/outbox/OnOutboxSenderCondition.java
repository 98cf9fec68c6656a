package io.idempotency.boot.outbox;

import java.util.Map;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.idempotency.boot.outbox.IdempotencyOutboxProperties.Sender;

/** The condition of {@link ConditionalOnOutboxSender}. */
final class OnOutboxSenderCondition extends SpringBootCondition {

    private static final String PROPERTY = "idempotency.outbox.sender";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Map<String, Object> attributes = metadata.getAnnotationAttributes(ConditionalOnOutboxSender.class.getName());
        Sender wanted = Binder.get(context.getEnvironment())
                .bind(PROPERTY, Sender.class)
                .orElse(Sender.AUTO);
        boolean matches = wanted == Sender.AUTO || (attributes != null && wanted == attributes.get("value"));
        return new ConditionOutcome(matches, PROPERTY + " is " + wanted);
    }
}
