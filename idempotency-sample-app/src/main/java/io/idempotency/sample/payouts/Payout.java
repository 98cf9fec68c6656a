package io.idempotency.sample.payouts;

import java.time.Instant;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/** A payout; once it is paid, it is as JSON the answer of the API and the response that replays return. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Payout(
        UUID payoutId,
        String accountId,
        long amountCents,
        PayoutStatus status,
        @Nullable UUID transferId,
        @Nullable String refusal,
        Instant createdAt) {

    Payout paid(UUID transfer) {
        return new Payout(payoutId, accountId, amountCents, PayoutStatus.PAID, transfer, null, createdAt);
    }

    Payout refused(String reason) {
        return new Payout(payoutId, accountId, amountCents, PayoutStatus.REFUSED, null, reason, createdAt);
    }

    boolean isFor(String otherAccountId, long otherAmountCents) {
        return accountId.equals(otherAccountId) && amountCents == otherAmountCents;
    }
}
