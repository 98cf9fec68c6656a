package io.idempotency.sample;

import java.util.List;
import java.util.UUID;

/** An account of a test's own, and what is in the tables about payouts from it. */
record PayoutRecords(RunningSample sample, WalletClient wallet, String account) {

    static final long OPENED_WITH = 1_000_000;

    static PayoutRecords open(RunningSample sample) throws Exception {
        String account = UUID.randomUUID().toString();
        sample.wallet().open(account, OPENED_WITH);
        return new PayoutRecords(sample, sample.wallet(), account);
    }

    Answer pay(String key, long cents) throws Exception {
        return wallet.post("/accounts/" + account + "/payouts", key, "{\"amountCents\":" + cents + "}");
    }

    long spent() throws Exception {
        return OPENED_WITH - wallet.get("/accounts/" + account).number("$.balanceCents");
    }

    /** What the provider has sent. */
    List<String> transfers() {
        return sample.texts(
                "select transfer_id::text from provider_transfer where account = ? and refusal is null", account);
    }

    /** As providers do after some time. What it has sent stays sent. */
    void letProviderForgetKeys() {
        sample.jdbc()
                .update(
                        "update provider_transfer set idempotency_key = gen_random_uuid()::text where account = ?",
                        account);
    }

    List<String> statuses() {
        return sample.texts("select status from payout where account_id = ?", account);
    }

    List<String> claims(String key) {
        return sample.texts("""
                select status || ' ' || attempt_count from idempotency.idempotency_request
                where idempotency_scope = 'payouts' and idempotency_key = ?""", key);
    }
}
