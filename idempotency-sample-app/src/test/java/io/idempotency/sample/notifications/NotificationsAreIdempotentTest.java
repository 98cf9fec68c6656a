package io.idempotency.sample.notifications;

import java.time.Instant;
import java.util.UUID;

import tools.jackson.databind.json.JsonMapper;

import io.idempotency.outbox.OutboxSender;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.sample.SampleProof;
import io.idempotency.sample.SentMessages;
import io.idempotency.sample.payments.Currency;
import io.idempotency.sample.payments.Payment;
import io.idempotency.sample.payments.PaymentAccepted;
import io.idempotency.sample.payments.PaymentStatus;

@SampleProof
class NotificationsAreIdempotentTest implements IdempotencyProof {

    private static final PaymentAccepted ACCEPTED = new PaymentAccepted(
            new Payment(new UUID(0, 1), "alice", 1250, Currency.EUR, "A book", PaymentStatus.COMPLETED, Instant.EPOCH),
            998_750);

    @IdempotencyScenario
    void handle(OutboxSender sender, JsonMapper json) throws Exception {
        SentMessages.send(sender, PaymentAccepted.TOPIC, json.writeValueAsString(ACCEPTED));
    }

    @IdempotencyScenario
    void receive(NotificationListener listener) {
        listener.receive(ACCEPTED, "message-1");
    }
}
