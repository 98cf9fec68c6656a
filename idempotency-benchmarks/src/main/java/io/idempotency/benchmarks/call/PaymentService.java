package io.idempotency.benchmarks.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** The service of an application. */
@FunctionalInterface
interface PaymentService {

    /** Makes the payment, unless the key says that it was made before; returns the response if there is one. */
    @Nullable Receipt pay(String key, Payment payment);
}
