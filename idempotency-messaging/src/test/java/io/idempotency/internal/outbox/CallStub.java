package io.idempotency.internal.outbox;

import java.lang.reflect.Proxy;

import io.idempotency.IdempotencyContext;
import io.idempotency.Intent;

/** A call that runs, of which only the intent is known. */
final class CallStub {

    private CallStub() {}

    static IdempotencyContext of(Intent intent) {
        return (IdempotencyContext) Proxy.newProxyInstance(
                CallStub.class.getClassLoader(),
                new Class<?>[] {IdempotencyContext.class},
                (stub, method, arguments) -> {
                    if (method.getName().equals("intent")) {
                        return intent;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }
}
