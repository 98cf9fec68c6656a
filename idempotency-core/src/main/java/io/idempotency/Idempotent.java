package io.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a service method idempotent: however often it is called, the same intent with the same payload in the same
 * scope has one durable effect and one observable result.
 *
 * <p>The key is claimed, the method's own database writes are made and the response is stored in ONE PostgreSQL
 * transaction. This is the transaction that {@code @Transactional} on the method starts or joins. If the method has no
 * {@code @Transactional}, a transaction is opened for the call. A repeat with the same key replays the stored response
 * without running the method; a repeat with another payload is refused with {@link KeyReusedException}.
 *
 * <p>With {@code mode = LEASED}, for methods that call something outside of PostgreSQL, the key is claimed in a
 * separate transaction before the method runs; with {@code mode = OPTIMISTIC} it is claimed when the method has returned; see
 * {@link IdempotencyMode}.
 *
 * <p>May be used as a meta-annotation and on interface methods. Calls must go through the Spring proxy: if a method
 * calls another method of the same object, that call is not intercepted.
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
     * The name of the operation to which keys belong: 1 to 128 printable characters, {@code ${...}} placeholders
     * allowed. One scope belongs to one method of one bean; start-up fails otherwise, see {@link #shared}. Never change it while keys are retained.
     */
    String scope();

    /**
     * Lets several beans that have this method, such as two of one class, share its scope: a key that one has answered is answered by
     * the other with the same response. By default, start-up fails if there are several, unless the expression of the {@link #key}
     * reads the bean, as does {@code #root.name + ':' + #key}.
     */
    boolean shared() default false;

    /**
     * The idempotency key as a SpEL expression over the arguments, such as {@code #key} or {@code #command.id}. The
     * expression must give a string, an {@link IdempotencyKey}, a UUID, an enum constant, a whole number, a {@code LocalDate} or a {@code YearMonth}, with 1 to
     * 255 printable characters.
     */
    String key();

    /**
     * The payload that is compared, as a SpEL expression over the arguments, such as {@code #command} or {@code
     * {#accountId, #amount}}. By default all arguments. Start-up fails if it names nothing but the key, although there is other data;
     * {@code ''} compares nothing.
     */
    String fingerprint() default "";

    /**
     * The retention of the key and its response, such as {@code 7d} or {@code PT12H}; {@code ${...}} placeholders
     * allowed, a number without a unit not. By default {@code idempotency.retention}. With {@code idempotency.response-retention} the response may
     * expire earlier.
     */
    String retention() default "";

    /** The policy of a call whose key is held by another call that is still running. */
    DuplicatePolicy onDuplicate() default DuplicatePolicy.WAIT;

    /**
     * The longest total wait for another call that holds the key, such as {@code 5s}; {@code ${...}} placeholders
     * allowed. By default {@code idempotency.wait-timeout}.
     */
    String waitTimeout() default "";

    /** The mode of the claim: in the method's transaction, before or after the method, or committed before it as a lease. */
    IdempotencyMode mode() default IdempotencyMode.TRANSACTIONAL;

    /**
     * The longest time for which a claim of {@link IdempotencyMode#LEASED} holds the key if its holder crashes, such as
     * {@code 60s}; {@code ${...}} placeholders allowed. While the method runs, it is renewed, for {@code idempotency.max-lease}
     * at most. It must not be longer than the retention. By default {@code idempotency.lease}.
     */
    String lease() default "";

    /**
     * Allows an automatic retry to run a leased method again after it has started. Set it only if the external calls of
     * the method are idempotent themselves; see {@link IdempotencyContext#downstreamKey}.
     */
    boolean retryLeased() default false;

    /**
     * Finishes a leased call whose process has ended or has lost its database, also if its caller never repeats it. The arguments are
     * stored with the claim, in a message of the outbox. When the lease has expired, an instance of the application calls the method
     * with them, until it returns or throws one of the {@link #finalFailures}, or instances have made
     * {@code idempotency.outbox.max-attempts} attempts: then nobody knows whether its effect exists, and repeats get a
     * {@link ClaimAbandonedException} until an operator decides. A failure that was thrown to the caller and recorded is not resumed,
     * because it is for the caller to repeat.
     *
     * <p>A resumed call has the key and the caller of the first one, but neither a request nor an authentication. The codec must
     * read back all parameters, and they must have names at run time; start-up fails otherwise. A version of the application in which
     * the stored arguments, by the names of their parameters, belong to another call leaves it to another version.
     */
    boolean resume() default false;

    /**
     * The most executions of the method in one call, the first one included, if PostgreSQL reports a serialization
     * failure or a deadlock, or the connection is lost. By default {@code idempotency.retry.max-attempts}.
     */
    int maxAttempts() default 0;

    /**
     * Exceptions that are the final answer to the intent, such as an account without funds. They are recorded after the
     * rollback, and every repeat gets a {@link RecordedFailureException} without running the method. Subclasses count
     * too. Start-up fails with {@link IdempotencyMode#OPTIMISTIC}, and if one may also be thrown for a lost answer or a passing
     * trouble, as may {@code RuntimeException}, a timeout or a {@code RestClientException}.
     */
    Class<? extends Throwable>[] finalFailures() default {};

    /**
     * Allows the response to lose something when it is stored, such as a member with {@code @JsonIgnore}, so that a
     * replay shows less than the first response. By default, if a replay would differ from the response, the first call
     * fails with {@link ResponseNotStorableException}. Results of steps lose nothing in any case.
     */
    boolean lossyResponse() default false;

    /**
     * The type of the object that the call creates, stored with the response for operators, such as {@code payment}.
     */
    String resultType() default "";

    /**
     * The id of the object that the call creates, as a SpEL expression over the arguments and {@code #result}, stored
     * with the response for operators, such as {@code #result.paymentId}.
     */
    String resultId() default "";
}
