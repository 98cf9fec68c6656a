package io.idempotency.boot.messaging.aot;

import java.util.List;

import io.idempotency.boot.aot.AnnotatedMethodAotProcessor;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.OutboxHandler;

/** The processor of receivers and handlers. */
final class MessageMethodAotProcessor extends AnnotatedMethodAotProcessor {

    MessageMethodAotProcessor() {
        super(List.of(IdempotentReceiver.class, OutboxHandler.class));
    }
}
