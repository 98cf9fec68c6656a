package io.idempotency.sample.payouts;

import java.time.Instant;
import java.util.UUID;

import org.springframework.test.context.jdbc.Sql;

import io.idempotency.IdempotencyKey;
import io.idempotency.RecordedFailureException;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;
import io.idempotency.sample.SampleProof;

@SampleProof
@Sql(statements = """
        insert into payout (payout_id, account_id, amount_cents, status, refusal)
        values ('00000000-0000-0000-0000-000000000013', 'alice', 13, 'REFUSED', 'No')
        on conflict do nothing;""")
class PayoutsAreIdempotentTest implements IdempotencyProof {

    private static final IdempotencyKey KEY = new IdempotencyKey("key-1");

    @IdempotencyScenario
    Payout pay(PayoutService payouts, Payload cents) {
        return payouts.pay(KEY, "alice", new PayoutRequest(cents.either(100L, 101L)));
    }

    /** The provider does not transfer amounts that end in 13 cents. */
    @IdempotencyScenario
    String payRefused(PayoutService payouts, Payload cents) {
        try {
            return payouts.pay(KEY, "alice", new PayoutRequest(cents.either(113L, 213L)))
                    .toString();
        } catch (PayoutRefusedException refused) {
            return String.valueOf(refused.getMessage());
        } catch (RecordedFailureException repeated) {
            return String.valueOf(repeated.recordedMessage());
        }
    }

    @IdempotencyScenario
    void withdraw(AccountCommands accounts, Payload cents) {
        accounts.withdraw(KEY.value(), "alice", cents.either(100L, 101L));
    }

    @IdempotencyScenario
    void putBack(AccountCommands accounts, Payload payoutId) {
        accounts.putBack(
                KEY.value(),
                new Payout(
                        UUID.fromString(payoutId.either(
                                "00000000-0000-0000-0000-000000000013", "00000000-0000-0000-0000-000000000014")),
                        "alice",
                        13,
                        PayoutStatus.REFUSED,
                        null,
                        "No",
                        Instant.EPOCH));
    }
}
