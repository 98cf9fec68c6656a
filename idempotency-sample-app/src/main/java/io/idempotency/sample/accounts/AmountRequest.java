package io.idempotency.sample.accounts;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import org.jspecify.annotations.Nullable;

/**
 * How much is to be put in or taken out.
 *
 * @param expectedVersion the last version of the account that the client has seen; {@code null} if that does not matter
 */
record AmountRequest(
        @NotNull @Positive @Max(MOST) Long amountCents,
        @Nullable @Positive Long expectedVersion) {

    /** So that no balance overflows. */
    static final long MOST = 1_000_000_000_000L;

    AccountCommand toCommand(String accountId, AccountEventType type) {
        return AccountCommand.of(accountId, type, amountCents).expecting(expectedVersion);
    }
}
