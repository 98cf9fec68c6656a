package io.idempotency.internal.inbox;

import io.idempotency.internal.operation.KeyValue;

/** The values that the expressions of a receiver give. */
final class MessageValues {

    /** The name of the kind of value that identifies a message. */
    static final String ID = "message id";

    private static final String CONSUMER = "consumer";

    private MessageValues() {}

    static KeyValue id(String consumer) {
        return new KeyValue(ID, CONSUMER, consumer, "a message needs an id that stays the same through all deliveries");
    }

    static KeyValue stream(String consumer) {
        return new KeyValue("stream", CONSUMER, consumer, "an order is kept for the messages of one stream");
    }

    static KeyValue version(String consumer) {
        return new KeyValue(
                "version", CONSUMER, consumer, "it must give the place of the message in its stream, a whole number");
    }
}
