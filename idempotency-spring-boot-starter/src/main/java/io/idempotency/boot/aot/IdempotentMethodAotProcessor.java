package io.idempotency.boot.aot;

import java.util.List;

import io.idempotency.Idempotent;

/** The processor of idempotent methods. */
final class IdempotentMethodAotProcessor extends AnnotatedMethodAotProcessor {

    IdempotentMethodAotProcessor() {
        super(List.of(Idempotent.class));
    }
}
