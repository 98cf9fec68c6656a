package io.idempotency.sample.accounts;

import io.idempotency.IdempotencyKey;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;
import io.idempotency.sample.SampleProof;

@SampleProof
class AccountsAreIdempotentTest implements IdempotencyProof {

    private static final IdempotencyKey KEY = new IdempotencyKey("key-1");

    @IdempotencyScenario
    AccountEvent open(AccountService accounts, Payload cents) {
        return accounts.open(KEY, new OpeningRequest("carol", cents.either(100L, 101L)));
    }

    @IdempotencyScenario
    AccountEvent deposit(AccountService accounts, Payload cents) {
        return accounts.deposit(KEY, "alice", new AmountRequest(cents.either(100L, 101L), null));
    }

    @IdempotencyScenario
    AccountEvent withdraw(AccountService accounts, Payload cents) {
        return accounts.withdraw(KEY, "alice", new AmountRequest(cents.either(100L, 101L), null));
    }
}
