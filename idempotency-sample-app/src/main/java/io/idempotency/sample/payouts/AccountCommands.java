package io.idempotency.sample.payouts;

import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.accounts.UnknownAccountException;

/** What a payout asks of an account. Each command has its own transaction, and happens once for each key. */
interface AccountCommands {

    /**
     * Takes the money of a payout.
     *
     * @throws UnknownAccountException if there is no such account; the key stays free
     * @throws InsufficientFundsException if it does not hold that much; repeats throw it, or the recorded failure, as well
     * @throws io.idempotency.KeyReusedException if the key was used for another account or amount
     */
    void withdraw(String key, String accountId, long amountCents);

    /**
     * Puts back what was taken.
     *
     * @throws io.idempotency.KeyReusedException if the key was used for another account or amount
     */
    void putBack(String key, String accountId, long amountCents);
}
