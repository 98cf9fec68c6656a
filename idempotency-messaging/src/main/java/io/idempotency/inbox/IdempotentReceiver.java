package io.idempotency.inbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Handles each message once, however often it is delivered. The effect and the record that the message was handled are
 * committed in the same transaction. A duplicate is skipped, and the method returns {@code null}.
 *
 * <p>Used on {@code @Transactional} methods of Spring beans, including listener methods. As for
 * {@link io.idempotency.Idempotent}, any exception rolls back, executions that fail with a serialization failure or a
 * lost connection are repeated inside of the call, and a method that would be unprotected is reported at start-up. A
 * failed delivery is counted in the table {@code message_failure} until the message succeeds; see
 * {@link io.idempotency.IdempotencyContext#attempt()}. Deliveries in a transaction that the caller has opened and
 * failures that are repeated inside of the call are not counted.
 *
 * <p>Start-up fails if the method has a parameter with which it could acknowledge its message, such as Kafka's
 * {@code Acknowledgment} or RabbitMQ's {@code Channel}: the container acknowledges when the method has returned.
 *
 * <p>{@link #messageId()}, {@link #payload()}, {@link #type()}, {@link #stream()} and {@link #version()} are SpEL
 * expressions over the arguments.
 *
 * <p>A delivery is refused with {@link io.idempotency.MissingIdempotencyKeyException} or
 * {@link io.idempotency.InvalidIdempotencyKeyException} if its id, stream or version is missing or malformed, and with
 * {@link io.idempotency.RequestInProgressException} if another delivery of the same message or stream does not end
 * within {@code idempotency.wait-timeout}.
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
     * The name of the consumer: 1 to 128 printable characters, {@code ${...}} placeholders allowed. Two consumers
     * handle the same message independently. One consumer belongs to one method of one bean; start-up fails otherwise, see
     * {@link #shared}.
     */
    String consumer();

    /**
     * Lets several beans that have this method, such as two of one class, be one consumer: a message that one has handled is skipped
     * by the other. By default, start-up fails if there are several, unless the expression of the {@link #messageId} reads the bean,
     * as does {@code #root.name + ':' + #id}.
     */
    boolean shared() default false;

    /**
     * The id of the message, which is the same in all its deliveries. The expression must give a string, a UUID, an
     * enum constant, a whole number, a {@code LocalDate} or a {@code YearMonth}; 1 to 255 printable characters.
     */
    String messageId();

    /**
     * The payload that must be equal if an id is delivered again, compared as canonical JSON. If empty, payloads are
     * not compared.
     */
    String payload() default "";

    /** The type of the message, stored for operators and cut after 128 characters. */
    String type() default "";

    /** The policy for an id that is delivered again with another {@link #payload()}. */
    ConflictPolicy onConflict() default ConflictPolicy.REFUSE;

    /**
     * The stream whose messages are kept in order, such as one customer; 1 to 255 printable characters. If empty, no
     * order is kept.
     */
    String stream() default "";

    /** The position of the message in its stream, a whole number; required with {@link #stream()}. */
    String version() default "";

    /** The order in which the messages of a stream are handled. */
    DeliveryOrder order() default DeliveryOrder.MONOTONIC;

    /** The first version of a stream, if the order is {@link DeliveryOrder#STRICT}. */
    long firstVersion() default 1;

    /**
     * The retention of handled messages, such as {@code 14d}; {@code ${...}} placeholders allowed. It must be longer
     * than the time in which the broker or provider may deliver a message again. By default
     * {@code idempotency.inbox.retention}. A value for this consumer in {@code idempotency.inbox.retention-by-consumer}
     * overrides both.
     */
    String retention() default "";
}
