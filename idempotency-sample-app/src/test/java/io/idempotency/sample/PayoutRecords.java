package io.idempotency.sample;

import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;

/** An account of a test's own, and what is in the tables about payouts from it. */
record PayoutRecords(JdbcClient jdbc, WalletClient wallet, String account) {

    static final long OPENED_WITH = 1_000_000;

    static PayoutRecords open(JdbcClient jdbc, WalletClient wallet) throws Exception {
        String account = UUID.randomUUID().toString();
        wallet.open(account, OPENED_WITH);
        return new PayoutRecords(jdbc, wallet, account);
    }

    Answer pay(String key, long cents) throws Exception {
        return wallet.post("/accounts/" + account + "/payouts", key, "{\"amountCents\":" + cents + "}");
    }

    long spent() throws Exception {
        return OPENED_WITH - wallet.get("/accounts/" + account).number("$.balanceCents");
    }

    /** What the provider has sent. */
    List<String> transfers() {
        return jdbc.sql("select transfer_id::text from provider_transfer where account = ? and refusal is null")
                .param(account)
                .query(String.class)
                .list();
    }

    /** As providers do after some time. What it has sent stays sent. */
    void letProviderForgetKeys() {
        jdbc.sql("update provider_transfer set idempotency_key = gen_random_uuid()::text where account = ?")
                .param(account)
                .update();
    }

    List<String> statuses() {
        return jdbc.sql("select status from payout where account_id = ?")
                .param(account)
                .query(String.class)
                .list();
    }

    List<String> claims(String key) {
        return jdbc.sql("""
                        select status || ' ' || attempt_count from idempotency.idempotency_request
                        where idempotency_scope = 'payouts' and idempotency_key = ?""").param(key).query(String.class).list();
    }
}
