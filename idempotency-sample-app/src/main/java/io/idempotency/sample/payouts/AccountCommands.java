package io.idempotency.sample.payouts;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.sample.accounts.AccountCommand;
import io.idempotency.sample.accounts.AccountEventType;
import io.idempotency.sample.accounts.Accounts;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.accounts.UnknownAccountException;

/** What a payout asks of an account. Each command has its own transaction, and happens once for each key. */
@Service
class AccountCommands {

    private final Accounts accounts;

    private final Payouts payouts;

    AccountCommands(Accounts accounts, Payouts payouts) {
        this.accounts = accounts;
        this.payouts = payouts;
    }

    /**
     * Takes the money of a payout.
     *
     * @throws UnknownAccountException if there is no such account; the key stays free
     * @throws InsufficientFundsException if it does not hold that much, for every repeat as well
     * @throws io.idempotency.KeyReusedException if the key was used for another account or amount
     */
    @Transactional
    @Idempotent(
            scope = "payout-withdrawals",
            key = "#key",
            fingerprint = "{#accountId, #amountCents}",
            finalFailures = InsufficientFundsException.class)
    void withdraw(String key, String accountId, long amountCents) {
        accounts.record(AccountCommand.of(accountId, AccountEventType.PAYOUT, amountCents));
    }

    /**
     * Puts back what was taken for a payout that was refused. The payout remembers that for longer than the key is kept.
     *
     * @throws io.idempotency.KeyReusedException if the key was used for another payout
     */
    @Transactional
    @Idempotent(scope = "payout-returns", key = "#key", fingerprint = "#payout.payoutId")
    void putBack(String key, Payout payout) {
        if (payouts.returned(payout.payoutId())) {
            accounts.record(
                    AccountCommand.of(payout.accountId(), AccountEventType.PAYOUT_RETURNED, payout.amountCents()));
        }
    }
}
