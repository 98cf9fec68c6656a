package io.idempotency.sample.payments;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

import io.idempotency.sample.accounts.AccountId;

/** What a client asks for; its members are the fingerprint that tells one payment from another. */
public record PaymentRequest(
        @AccountId String accountId,
        @NotNull @Positive Long amountCents,
        @NotNull Currency currency,

        @NotBlank @Size(max = 100, message = "must have at most {max} characters") @Pattern(regexp = "[^\\p{Cc}\\p{Cs}]*", message = "must not contain control characters") String reference) {}
