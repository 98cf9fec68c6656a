package io.idempotency.boot.outbox;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/** Matches if {@code idempotency.outbox.sender} is this sender, or is {@code auto}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnOutboxSenderCondition.class)
public @interface ConditionalOnOutboxSender {

    /** Returns the sender that the annotated auto-configuration defines. */
    IdempotencyOutboxProperties.Sender value();
}
