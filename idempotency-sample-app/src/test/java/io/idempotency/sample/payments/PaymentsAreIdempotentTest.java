package io.idempotency.sample.payments;

import io.idempotency.IdempotencyKey;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;
import io.idempotency.sample.SampleProof;

@SampleProof
class PaymentsAreIdempotentTest implements IdempotencyProof {

    @IdempotencyScenario
    Payment pay(PaymentService payments, Payload cents) {
        return payments.pay(
                new IdempotencyKey("key-1"),
                new PaymentRequest("alice", cents.either(1250L, 1251L), Currency.EUR, "A book"));
    }
}
