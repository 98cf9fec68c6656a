package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** Handles messages in batches of {@value #SIZE}, each in a transaction. */
abstract class BatchContender extends Contender {

    static final int SIZE = 500;

    private final Listener listener;

    /**
     * Starts it.
     *
     * @param configuration beside the {@link CallEffect}, the listener among it
     */
    BatchContender(
            String name, ContenderSetup setup, Class<? extends Listener> listener, List<Class<?>> configuration) {
        super(name, setup, configuration);
        this.listener = application.getBean(listener);
    }

    /** Handles those that were not handled before. */
    final void handle(List<Message> messages) {
        listener.on(messages);
    }

    abstract boolean remembers();

    /**
     * A batch of new messages.
     *
     * @param idOf gives the id of the message of that number
     */
    final Operation newBatch(LongFunction<String> idOf) {
        return () -> handle(nextBatch(idOf));
    }

    final List<Message> nextBatch(LongFunction<String> idOf) {
        List<Message> batch = new ArrayList<>(SIZE);
        // Batches that run at the same time have no account in common.
        int first = nextNumber() * SIZE;
        for (int i = 0; i < SIZE; i++) {
            batch.add(new Message(idOf.apply(first + i), Payment.of(first + i)));
        }
        return batch;
    }

    /** The service of the application. */
    interface Listener {

        void on(List<Message> messages);
    }
}
