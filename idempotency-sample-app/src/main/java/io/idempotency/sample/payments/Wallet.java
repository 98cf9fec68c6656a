package io.idempotency.sample.payments;

import java.util.UUID;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.sample.accounts.AccountCommand;
import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.accounts.AccountEventType;
import io.idempotency.sample.accounts.Accounts;

/** What a payment consists of, whatever the API that asks for it. */
@Component
public class Wallet {

    private final Accounts accounts;

    private final Payments payments;

    private final Outbox outbox;

    Wallet(Accounts accounts, Payments payments, Outbox outbox) {
        this.accounts = accounts;
        this.payments = payments;
        this.outbox = outbox;
    }

    /**
     * Takes the money, records the payment and tells of it, in the caller's transaction, that of an idempotent call. The
     * account stays locked until the commit, so the messages of an account are published in the order of its payments.
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public Payment pay(PaymentRequest request) {
        UUID paymentId = UUID.randomUUID();
        AccountEvent event =
                accounts.record(AccountCommand.of(request.accountId(), AccountEventType.PAID, request.amountCents())
                        .forPayment(paymentId));
        Payment payment = payments.add(paymentId, request);
        outbox.publish(OutboxMessage.of(PaymentAccepted.TOPIC, PaymentAccepted.TYPE)
                .orderingKey(payment.accountId())
                .aggregate("payment", payment.paymentId().toString())
                .payload(new PaymentAccepted(payment, event.balanceCents()))
                .build());
        return payment;
    }
}
