package io.idempotency.sample.payouts;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;

/** What a client asks for; together with the account it is the fingerprint that tells one payout from another. */
record PayoutRequest(@NotNull @Positive Long amountCents) {}
