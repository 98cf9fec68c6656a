package io.idempotency.sample.payments;

import java.util.List;
import java.util.UUID;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.sample.accounts.Accounts;
import io.idempotency.sample.accounts.InsufficientFundsException;

/** Makes payments and finds them again. */
@Service
class PaymentService {

    private static final int PAGE = 100;

    private final Accounts accounts;

    private final Payments payments;

    private final Wallet wallet;

    PaymentService(Accounts accounts, Payments payments, Wallet wallet) {
        this.accounts = accounts;
        this.payments = payments;
        this.wallet = wallet;
    }

    /**
     * Takes the money, records the payment and tells of it, once for each key: the key, all changes, the message and the
     * answer are committed in one transaction, and whoever asks again gets that answer. A failure takes everything back,
     * the key included, unless there was not enough money: that is the answer for good.
     */
    @Transactional
    @Idempotent(
            scope = "payments",
            key = "#key",
            fingerprint = "#request",
            finalFailures = InsufficientFundsException.class,
            resultType = "payment",
            resultId = "#result.paymentId")
    Payment pay(IdempotencyKey key, PaymentRequest request) {
        return wallet.pay(request);
    }

    Payment get(UUID paymentId) {
        return payments.get(paymentId);
    }

    List<Payment> findNewest(String accountId) {
        accounts.requireExists(accountId);
        return payments.findNewest(accountId, PAGE);
    }
}
