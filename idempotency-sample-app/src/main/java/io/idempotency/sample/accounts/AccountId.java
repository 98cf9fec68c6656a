package io.idempotency.sample.accounts;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

/** Text that can name an account; whether there is one is another question. */
@NotBlank @Size(max = 64, message = "must have at most {max} characters") @Pattern(regexp = "[^\\p{Cc}\\p{Cs}]*", message = "must not contain control characters") @Constraint(validatedBy = {})
@Documented
@Retention(RetentionPolicy.RUNTIME)
public @interface AccountId {

    /** Not used: each of the composed constraints has its own. */
    String message() default "";

    /** Not used. */
    Class<?>[] groups() default {};

    /** Not used. */
    Class<? extends Payload>[] payload() default {};
}
