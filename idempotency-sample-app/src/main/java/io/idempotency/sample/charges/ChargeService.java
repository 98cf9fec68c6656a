package io.idempotency.sample.charges;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.payments.Wallet;

/** Makes charges. */
@Service
class ChargeService {

    private final Wallet wallet;

    ChargeService(Wallet wallet) {
        this.wallet = wallet;
    }

    /**
     * Makes the payment, once for each key. A failure takes everything back, the key included,
     * unless the account was declined: that is the answer for good, as with Stripe.
     */
    @Transactional
    @Idempotent(
            scope = "charges",
            key = "#key",
            fingerprint = "#request",
            finalFailures = InsufficientFundsException.class,
            resultType = "charge",
            resultId = "#result.id")
    Charge create(IdempotencyKey key, ChargeRequest request) {
        return Charge.of(wallet.pay(request.toPayment()), request);
    }
}
