package io.idempotency.sample.charges;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.sample.accounts.Accounts;
import io.idempotency.sample.payments.Payments;

/** Makes charges. */
@Service
class ChargeService {

    private final Accounts accounts;

    private final Payments payments;

    ChargeService(Accounts accounts, Payments payments) {
        this.accounts = accounts;
        this.payments = payments;
    }

    /** Takes the money and records the payment, once for each key. A failure takes everything back, the key included. */
    @Transactional
    @Idempotent(
            scope = "charges",
            key = "#key",
            fingerprint = "#request",
            resultType = "charge",
            resultId = "#result.id")
    Charge create(IdempotencyKey key, ChargeRequest request) {
        accounts.withdraw(request.source(), request.amount());
        return Charge.of(payments.add(request.toPayment()), request);
    }
}
