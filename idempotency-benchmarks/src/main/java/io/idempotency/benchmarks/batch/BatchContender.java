package io.idempotency.benchmarks.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.idempotency.benchmarks.effect.Keys;
import io.idempotency.benchmarks.effect.Message;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.harness.Contender;
import io.idempotency.benchmarks.harness.ContenderApplication;

/** Batches of {@value #SIZE} new messages, each in a transaction. */
final class BatchContender implements Contender {

    static final int SIZE = 500;

    private final ContenderApplication application;

    private final BatchService service;

    private final AtomicInteger batches = new AtomicInteger();

    BatchContender(ContenderApplication application, BatchService service) {
        this.application = application;
        this.service = service;
    }

    /**
     * Handles a batch twice.
     *
     * @param once whether the effects of a repeated batch are not made again
     * @throws IllegalStateException if it is otherwise
     */
    void check(boolean once) {
        List<Message> batch = next();
        long before = application.effects();
        service.handle(batch);
        require(application.effects() == before + SIZE, "does not make the effects of a batch once");
        if (once) {
            service.handle(batch);
            require(application.effects() == before + SIZE, "makes the effects of a repeated batch again");
        }
    }

    private void require(boolean kept, String otherwise) {
        if (!kept) {
            throw new IllegalStateException(service.getClass().getSimpleName() + " " + otherwise);
        }
    }

    /** Batches of different threads have no account in common, so that they do not wait for each other. */
    private List<Message> next() {
        int first = batches.getAndIncrement() * SIZE;
        List<Message> batch = new ArrayList<>(SIZE);
        for (int number = first; number < first + SIZE; number++) {
            batch.add(new Message(Keys.timeOrdered(number), Payment.of(number)));
        }
        return batch;
    }

    @Override
    public void run() {
        service.handle(next());
    }

    @Override
    public int items() {
        return SIZE;
    }

    @Override
    public void close() {
        application.close();
    }
}
