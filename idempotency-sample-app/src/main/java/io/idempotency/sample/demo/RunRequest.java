package io.idempotency.sample.demo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

import io.idempotency.sample.accounts.AccountId;

/** The same payment, asked for one or more times at once, with one key or without it. */
record RunRequest(
        @NotNull @Size(min = 1, max = 80) @Pattern(regexp = "[!-~]*", message = "must be visible ASCII characters") String key,

        @AccountId String accountId,
        @NotNull @Positive Long amountCents,
        @NotNull @Min(1) @Max(20) Integer attempts,
        @NotNull Boolean withKey,
        @NotNull Fault fault) {}
