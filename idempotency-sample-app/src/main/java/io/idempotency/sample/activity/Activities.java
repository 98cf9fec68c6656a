package io.idempotency.sample.activity;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.idempotency.sample.payments.Payment;

/** The totals in the database. */
@Repository
class Activities {

    /** The inbox knows who has counted a message by this name, whichever way it came. */
    static final String CONSUMER = "account-activity";

    /** Adds up, so it would count a message twice that comes twice: its callers receive through the inbox. */
    private static final String ADD = """
            insert into account_activity (account_id, payments, cents)
            values (:accountId, 1, :cents)
            on conflict (account_id) do update
            set payments = account_activity.payments + 1, cents = account_activity.cents + excluded.cents""";

    private static final String FIND = """
            select account_id, payments, cents
            from account_activity
            where account_id = :accountId""";

    private final JdbcClient jdbc;

    Activities(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void add(Payment payment) {
        jdbc.sql(ADD)
                .param("accountId", payment.accountId())
                .param("cents", payment.amountCents())
                .update();
    }

    AccountActivity get(String accountId) {
        return jdbc.sql(FIND)
                .param("accountId", accountId)
                .query(AccountActivity.class)
                .optional()
                .orElse(new AccountActivity(accountId, 0, 0));
    }
}
