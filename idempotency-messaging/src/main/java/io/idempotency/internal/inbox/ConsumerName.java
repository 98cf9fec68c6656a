package io.idempotency.internal.inbox;

import io.idempotency.Intent;
import io.idempotency.PrintableText;
import io.idempotency.internal.ownership.OwnedName;

/** The name of a consumer, which is the scope of the messages that it receives. */
public final class ConsumerName {

    private ConsumerName() {}

    /** Returns the name as one that belongs to an application. */
    public static OwnedName owned(String consumer) {
        return new OwnedName(ReceiverOperation.KIND.scopeName(), consumer);
    }

    /**
     * Checks a name.
     *
     * @throws IllegalArgumentException if it is blank, too long or not printable
     */
    public static String require(String consumer) {
        PrintableText.findProblem(consumer, 1, Intent.MAX_SCOPE_LENGTH).ifPresent(problem -> {
            throw new IllegalArgumentException("The consumer of a message " + problem);
        });
        return consumer;
    }
}
