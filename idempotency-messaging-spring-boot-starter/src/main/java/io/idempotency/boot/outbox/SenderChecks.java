package io.idempotency.boot.outbox;

import java.util.List;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.outbox.InProcessSender;
import io.idempotency.internal.outbox.OutboxHandlers;
import io.idempotency.outbox.OutboxSender;

/** The check for handlers that would never be called, because another sender gets all messages. */
final class SenderChecks {

    private SenderChecks() {}

    static void require(OutboxSender sender, OutboxHandlers handlers, List<InProcessSender> inProcess) {
        if (handlers.isEmpty()) {
            return;
        }
        if (inProcess.isEmpty()) {
            throw new IdempotencyStartupException(
                    "There are methods with @OutboxHandler for " + handlers.topics() + ", but all messages go to "
                            + sender.getClass().getName() + ", so they would never be called.",
                    "Set idempotency.outbox.sender=in-process and define no OutboxSender, or receive the messages from the"
                            + " broker instead.");
        }
    }
}
