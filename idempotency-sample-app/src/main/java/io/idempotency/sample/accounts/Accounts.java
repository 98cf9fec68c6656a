package io.idempotency.sample.accounts;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The accounts in the database. */
@Repository
public class Accounts {

    private static final String FIND = """
            select account_id, balance_cents
            from account
            where account_id = :accountId""";

    /** The condition makes it one statement: of two payments that compete for the last cents, one finds no row. */
    private static final String WITHDRAW = """
            update account
            set balance_cents = balance_cents - :amountCents
            where account_id = :accountId and balance_cents >= :amountCents
            returning balance_cents""";

    private final JdbcClient jdbc;

    Accounts(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Account get(String accountId) {
        return jdbc.sql(FIND)
                .param("accountId", accountId)
                .query(Account.class)
                .optional()
                .orElseThrow(() -> new UnknownAccountException(accountId));
    }

    /**
     * Checks that there is such an account.
     *
     * @throws UnknownAccountException if there is none
     */
    public void requireExists(String accountId) {
        get(accountId);
    }

    /**
     * Takes money from an account.
     *
     * @return what is left
     * @throws UnknownAccountException if there is no such account
     * @throws InsufficientFundsException if it does not hold that much
     */
    public long withdraw(String accountId, long amountCents) {
        return jdbc.sql(WITHDRAW)
                .param("accountId", accountId)
                .param("amountCents", amountCents)
                .query(Long.class)
                .optional()
                .orElseThrow(() -> {
                    requireExists(accountId);
                    return new InsufficientFundsException(accountId, amountCents);
                });
    }
}
