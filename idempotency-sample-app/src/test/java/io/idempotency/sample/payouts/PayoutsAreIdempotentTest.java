package io.idempotency.sample.payouts;

import io.idempotency.IdempotencyKey;
import io.idempotency.RecordedFailureException;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;
import io.idempotency.sample.SampleProof;

@SampleProof
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
}
