package io.idempotency.benchmarks.call;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyOperations;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** A write: key, effect, response and COMMIT in one message. */
class StarterWrites implements PaymentService {

    private final IdempotencyOperations operations;

    StarterWrites(IdempotencyOperations operations) {
        this.operations = operations;
    }

    @Override
    public @Nullable Receipt pay(String key, Payment payment) {
        Map<String, Object> values = Map.of("number", payment.number(), "account", payment.account());
        return operations
                .write("payments", key, payment)
                .statement(Effect.statements().get(0), values)
                .statement(Effect.statements().get(1), values)
                .respond(Receipt.class, Receipt.of(payment));
    }
}
