package io.idempotency.internal.outbox;

import java.time.Duration;

import io.idempotency.IdempotencyContext;
import io.idempotency.Intent;

/** A call that runs. */
record CallStub(Intent intent) implements IdempotencyContext {

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public String downstreamKey(String name) {
        return name;
    }

    @Override
    public void extendLease(Duration duration) {}
}
