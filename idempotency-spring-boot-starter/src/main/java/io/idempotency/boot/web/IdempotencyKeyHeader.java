package io.idempotency.boot.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Passes the key of the {@code Idempotency-Key} request header to a parameter of a controller method, of type
 * {@link String} or {@link io.idempotency.IdempotencyKey}.
 *
 * <p>The header is a String of RFC 9651 ({@code "8e03978e"}), or, unless {@code idempotency.http.strict} is set, the
 * bare text that Stripe's clients send ({@code 8e03978e}); both name the same key. A header that is repeated, empty,
 * longer than 255 characters, not printable or followed by parameters is refused with status 400, before the body is
 * read unless it is multipart. With safe methods (GET, HEAD, OPTIONS, TRACE) the header is ignored and the parameter is
 * {@code null}.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9651#name-parsing-a-string">RFC 9651, Parsing a String</a>
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface IdempotencyKeyHeader {

    /**
     * Whether a request without the header is refused with status 400. If not, the parameter is {@code null} and the
     * service decides; an idempotent method refuses a key of {@code null}. Start-up fails if the handler method itself is
     * idempotent and this is {@code false}.
     */
    boolean required() default true;
}
