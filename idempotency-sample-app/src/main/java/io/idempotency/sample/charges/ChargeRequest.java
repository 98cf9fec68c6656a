package io.idempotency.sample.charges;

import java.util.Locale;
import java.util.Objects;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

import io.idempotency.sample.accounts.AccountId;
import io.idempotency.sample.payments.Currency;
import io.idempotency.sample.payments.PaymentRequest;

/**
 * The fields of the form; its members are the fingerprint that tells one charge from another.
 *
 * @param amount in cents
 * @param source the account that pays
 */
record ChargeRequest(
        @NotNull @Positive Long amount,

        @NotNull @Pattern(regexp = "eur", message = "must be eur") String currency,

        @AccountId String source,

        @Nullable @Size(max = 100, message = "must have at most {max} characters") @Pattern(regexp = "[^\\p{Cc}\\p{Cs}]*", message = "must not contain control characters") String description) {

    PaymentRequest toPayment() {
        return new PaymentRequest(
                source,
                amount,
                Currency.valueOf(currency.toUpperCase(Locale.ROOT)),
                Objects.requireNonNullElse(description, ""));
    }
}
