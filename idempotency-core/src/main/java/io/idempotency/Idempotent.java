package io.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a service method idempotent: the same intent with the same payload in the same scope has one durable effect
 * and one observable result, however often it is called.
 *
 * <p>The key is claimed, the method's own database writes are made and the response is stored in ONE PostgreSQL
 * transaction: the one that {@code @Transactional} on the method starts or joins, or one that is opened for the call
 * when the method has none. A repeat with the same key replays the stored response without running the method; a repeat
 * with another payload is refused with {@link KeyReusedException}.
 *
 * <p>With {@code mode = LEASED}, for methods that call something outside of PostgreSQL, the key is claimed in a transaction
 * of its own before the method runs; see {@link IdempotencyMode}.
 *
 * <p>May be used as a meta-annotation and on interface methods. Calls must come through the Spring proxy: a call from
 * one method of an object to another of the same object is not seen.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT">INSERT ... ON CONFLICT</a>
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface Idempotent {

    /**
     * The name of the operation that keys belong to: 1 to 128 printable characters, {@code ${...}} placeholders allowed.
     * One scope belongs to one method; start-up fails otherwise. Never change it while keys are retained.
     */
    String scope();

    /**
     * The idempotency key as a SpEL expression over the arguments, such as {@code #key} or {@code #command.id}. It must
     * give a string, an {@link IdempotencyKey}, a UUID, an enum constant or a whole number; 1 to 255 printable
     * characters.
     */
    String key();

    /**
     * What tells one payload from another, as a SpEL expression over the arguments, such as {@code #command} or
     * {@code {#accountId, #amount}}. By default all arguments.
     */
    String fingerprint() default "";

    /**
     * How long the key and its response are kept, such as {@code 7d} or {@code PT12H}; {@code ${...}} placeholders
     * allowed. By default {@code idempotency.retention}. With {@code idempotency.response-retention} the response may go
     * earlier.
     */
    String retention() default "";

    /** What a call does that finds its key held by another call that is still running. */
    DuplicatePolicy onDuplicate() default DuplicatePolicy.WAIT;

    /**
     * How long a call waits at most, in all, for another call that holds its key, such as {@code 5s}; {@code ${...}}
     * placeholders allowed. By default {@code idempotency.wait-timeout}.
     */
    String waitTimeout() default "";

    /** Whether the claim is part of the method's transaction, or committed before the method as a lease. */
    IdempotencyMode mode() default IdempotencyMode.TRANSACTIONAL;

    /**
     * How long a claim of {@link IdempotencyMode#LEASED} holds the key at most if its holder vanishes, such as {@code
     * 60s}; {@code ${...}} placeholders allowed. Must be longer than the method runs, and no longer
     * than the retention. By default {@code idempotency.lease}.
     */
    String lease() default "";

    /**
     * Whether a leased method that has started may be run again by an automatic retry. It may have called outside, so
     * only for methods whose outside calls are idempotent themselves; see {@link IdempotencyContext#downstreamKey}.
     */
    boolean retryLeased() default false;

    /**
     * How often the method is executed at most in one call, the first time included, when PostgreSQL reports a
     * serialization failure, a deadlock or a lost connection. By default {@code idempotency.retry.max-attempts}.
     */
    int maxAttempts() default 0;

    /**
     * Exceptions that are the stable answer to the intent, such as an account without funds: they are recorded after the
     * rollback, and every repeat gets a {@link RecordedFailureException} without running the method. Subclasses count
     * too.
     */
    Class<? extends Throwable>[] finalFailures() default {};

    /**
     * Whether the response is meant to lose something when it is stored, such as a member with {@code @JsonIgnore}: a replay
     * then shows less than the first answer. By default a response that a replay would not show as it was fails the first
     * call with {@link ResponseNotStorableException}.
     */
    boolean lossyResponse() default false;

    /** What kind of thing the call made, stored beside the response for operators, such as {@code payment}. */
    String resultType() default "";

    /**
     * Which thing the call made, as a SpEL expression over the arguments and {@code #result}, stored beside the response
     * for operators, such as {@code #result.paymentId}.
     */
    String resultId() default "";
}
