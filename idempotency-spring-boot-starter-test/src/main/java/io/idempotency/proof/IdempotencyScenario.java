package io.idempotency.proof;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of an {@link IdempotencyProof} that calls what is to be proven, always with the same key, and returns the answer.
 * Its parameters are beans, and a {@link Payload} if it can be called with two.
 *
 * <p>It is called many times: without a fault, repeatedly, at once by eight threads, on a second instance of the application, and
 * with a fault at each statement. Whenever it throws, it is called again, as a client would. Each of these is a test of its own, and
 * passes if the database has committed the same changes as without a fault and all callers got the same answer.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface IdempotencyScenario {

    /**
     * Columns whose values are not compared, as {@code table.column}, or {@code table.*} for a table whose rows are not compared.
     * Columns that differ between two runs without a fault need not be named.
     */
    String[] ignoreColumns() default {};
}
