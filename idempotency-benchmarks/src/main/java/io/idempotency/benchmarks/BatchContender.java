package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Handles messages in batches of {@value #SIZE}, each in a transaction. */
abstract class BatchContender extends Contender {

    static final int SIZE = 500;

    BatchContender(String name, ContenderSetup setup, List<Class<?>> configuration) {
        super(name, setup, configuration);
    }

    /** Handles those that were not handled before. */
    abstract void handle(List<Message> messages);

    abstract boolean remembers();

    /** A batch of new messages. */
    final Operation newBatch() {
        return () -> handle(nextBatch());
    }

    final List<Message> nextBatch() {
        List<Message> batch = new ArrayList<>(SIZE);
        // Batches that run at the same time have no account in common.
        int first = nextNumber() * SIZE;
        for (int i = 0; i < SIZE; i++) {
            batch.add(new Message(Keys.called(first + i), Payment.of(first + i)));
        }
        return batch;
    }
}
