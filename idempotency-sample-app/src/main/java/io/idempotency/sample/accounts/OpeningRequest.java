package io.idempotency.sample.accounts;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.PositiveOrZero;

/** Which account is to be opened, and with how much on it. */
record OpeningRequest(
        @NotNull @Pattern(
                regexp = "[A-Za-z0-9._-]{1,64}",
                message = "must be letters, digits, dots, dashes and underscores, at most 64")
        String accountId,

        @NotNull @PositiveOrZero @Max(AmountRequest.MOST) Long amountCents) {}
