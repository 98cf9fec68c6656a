package io.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Handles each message once, however often it is delivered: that it was handled becomes part of the same transaction as
 * its effect. A duplicate is skipped quietly, and the method returns {@code null}.
 *
 * <p>Stands on {@code @Transactional} methods of Spring beans, listener methods among them. What holds for
 * {@link io.idempotency.Idempotent} holds here too: any exception rolls back, serialization failures and lost connections
 * are repeated inside of the call, and what would leave the method unprotected is reported at start-up. A delivery that
 * fails is counted in the table {@code message_failure} until the message succeeds; see
 * {@link io.idempotency.IdempotencyContext#attempt()}. Not counted are deliveries in a transaction that the caller has
 * opened, and failures that are repeated inside of the call.
 *
 * <p>{@link #messageId()}, {@link #payload()}, {@link #type()}, {@link #stream()} and {@link #version()} are SpEL
 * expressions over the arguments.
 *
 * <p>A delivery is refused with {@link io.idempotency.MissingIdempotencyKeyException} or
 * {@link io.idempotency.InvalidIdempotencyKeyException} if its id, stream or version is missing or malformed, and with
 * {@link io.idempotency.RequestInProgressException} if another delivery of the same message or stream does not end within
 * {@code idempotency.wait-timeout}.
 *
 * @see <a href="https://www.enterpriseintegrationpatterns.com/patterns/messaging/IdempotentReceiver.html">Idempotent
 *     Receiver</a>
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface IdempotentReceiver {

    /**
     * Who receives; part of what a message was handled for, so that two consumers handle the same message independently.
     * 1 to 128 printable characters, {@code ${...}} placeholders allowed. One consumer belongs to one method; start-up
     * fails otherwise.
     */
    String consumer();

    /**
     * The id that stays the same through all deliveries of one message. It must give a string, a UUID, an enum constant or
     * a whole number; 1 to 255 printable characters.
     */
    String messageId();

    /** What must be equal when an id comes back, as canonical JSON; nothing is compared if empty. */
    String payload() default "";

    /** The type of the message, kept for operators; what is longer than 128 characters is cut. */
    String type() default "";

    /** What to do if the id comes back with another {@link #payload()}. */
    ConflictPolicy onConflict() default ConflictPolicy.REFUSE;

    /** What the order is kept for, such as one customer; 1 to 255 printable characters. No order is kept if empty. */
    String stream() default "";

    /** The place of the message in its stream, a whole number; needed with {@link #stream()}. */
    String version() default "";

    /** In which order the messages of a stream are handled. */
    DeliveryOrder order() default DeliveryOrder.MONOTONIC;

    /** The version that a stream begins with, if the order is {@link DeliveryOrder#STRICT}. */
    long firstVersion() default 1;

    /**
     * How long it is known that a message was handled, such as {@code 14d}; {@code ${...}} placeholders allowed. Longer
     * than a broker or provider may deliver again. By default {@code idempotency.inbox.retention}; what
     * {@code idempotency.inbox.retention-by-consumer} says for this consumer counts before both.
     */
    String retention() default "";
}
