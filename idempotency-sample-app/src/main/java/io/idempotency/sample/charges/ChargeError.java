package io.idempotency.sample.charges;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * Why there is no charge, as Stripe's clients read it.
 *
 * @see <a href="https://docs.stripe.com/api/errors">Stripe's errors</a>
 */
record ChargeError(Body error) {

    static ChargeError of(String type, @Nullable String message) {
        return new ChargeError(new Body(type, null, null, null, message));
    }

    /** What all of it is about. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Body(
            String type,
            @Nullable String code,
            @JsonProperty("decline_code") @Nullable String declineCode,
            @Nullable String param,
            @Nullable String message) {}
}
