package io.idempotency.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Handles the messages of a topic in the application itself, without a broker. Used on methods of Spring beans that
 * return nothing and take the payload, read from its JSON as the type of the parameter, or the {@link OutboxRecord}, or
 * both. A message without a payload is {@code null}, or an empty {@code Optional}.
 *
 * <p>An instance takes the topics that it has methods for. A payload that cannot be read is left to another version of the
 * application, and is no attempt until the message has been due for an hour.
 *
 * <p>Each message is received through the {@link io.idempotency.inbox.Inbox}: it is recorded as handled in the
 * transaction of the method's effect, on the library's DataSource, so a message that is sent again has no second
 * effect. The method runs in that transaction, on a thread of the library, so it neither has the mode
 * {@link io.idempotency.IdempotencyMode#LEASED} nor calls a method that has it. Any exception rolls back, and the message
 * is handled again later. The method is interrupted after {@code idempotency.outbox.send-timeout}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OutboxHandler {

    /** The topic whose messages are handled; {@code ${...}} placeholders allowed. */
    String topic();

    /**
     * The consumer name for the inbox: 1 to 128 printable characters, {@code ${...}} placeholders allowed. Handlers
     * with different names handle the messages of a topic independently. By default the topic, which suffices for one
     * handler. Do not use the method's name, because a renamed method would handle old messages again.
     */
    String consumer() default "";
}
