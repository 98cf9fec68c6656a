package io.idempotency.sample.payouts;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.sample.accounts.Accounts;
import io.idempotency.sample.accounts.InsufficientFundsException;

/** The commands on accounts that have a balance. */
@Service
class BalanceCommands implements AccountCommands {

    private static final String PUT_BACK = """
            update account
            set balance_cents = balance_cents + :amountCents
            where account_id = :accountId""";

    private final Accounts accounts;

    private final JdbcClient jdbc;

    BalanceCommands(Accounts accounts, JdbcClient jdbc) {
        this.accounts = accounts;
        this.jdbc = jdbc;
    }

    @Override
    @Transactional
    @Idempotent(
            scope = "payout-withdrawals",
            key = "#key",
            fingerprint = "{#accountId, #amountCents}",
            finalFailures = InsufficientFundsException.class)
    public void withdraw(String key, String accountId, long amountCents) {
        accounts.withdraw(accountId, amountCents);
    }

    @Override
    @Transactional
    @Idempotent(scope = "payout-returns", key = "#key", fingerprint = "{#accountId, #amountCents}")
    public void putBack(String key, String accountId, long amountCents) {
        jdbc.sql(PUT_BACK)
                .param("accountId", accountId)
                .param("amountCents", amountCents)
                .update();
    }
}
