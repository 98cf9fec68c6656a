package io.idempotency.benchmarks;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyOperations;

/** A call without an annotated method, in a transaction of the library's. */
final class StarterProgrammaticContender extends Starter {

    private final IdempotencyOperations operations;

    private final CallEffect effect;

    StarterProgrammaticContender(ContenderSetup setup) {
        super("starter-programmatic", setup);
        operations = application.getBean(IdempotencyOperations.class);
        effect = application.getBean(CallEffect.class);
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        return operations.execute(SCOPE, key, payment, Receipt.class, () -> effect.pay(payment));
    }
}
