package io.idempotency.sample.accounts;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * What is to happen to an account.
 *
 * @param accountId whose event it is to become
 * @param type what is to happen
 * @param amountCents more than zero
 * @param expectedVersion the last version that whoever asks has seen; {@code null} if that does not matter
 * @param paymentId the payment that it is; {@code null} for all other types
 */
public record AccountCommand(
        String accountId,
        AccountEventType type,
        long amountCents,
        @Nullable Long expectedVersion,
        @Nullable UUID paymentId) {

    /**
     * A command that asks for nothing else.
     *
     * @param accountId whose event it is to become
     * @param type what is to happen
     * @param amountCents more than zero
     * @return the command
     */
    public static AccountCommand of(String accountId, AccountEventType type, long amountCents) {
        return new AccountCommand(accountId, type, amountCents, null, null);
    }

    /**
     * The same for those only who know the newest version.
     *
     * @param version which it has to be; {@code null} for any
     * @return a changed copy
     */
    public AccountCommand expecting(@Nullable Long version) {
        return new AccountCommand(accountId, type, amountCents, version, paymentId);
    }

    /**
     * The same for a payment.
     *
     * @param payment its id
     * @return a changed copy
     */
    public AccountCommand forPayment(UUID payment) {
        return new AccountCommand(accountId, type, amountCents, expectedVersion, payment);
    }

    long changeCents() {
        return type.signed(amountCents);
    }
}
