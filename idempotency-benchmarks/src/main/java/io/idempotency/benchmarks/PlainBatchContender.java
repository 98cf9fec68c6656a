package io.idempotency.benchmarks;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

/** The effects of a batch alone. */
final class PlainBatchContender extends BatchContender {

    static final String NAME = "plain-batch-" + SIZE;

    private final Listener listener;

    PlainBatchContender(ContenderSetup setup) {
        super(NAME, setup, List.of(Listener.class));
        listener = application.getBean(Listener.class);
    }

    @Override
    void handle(List<Message> messages) {
        listener.on(messages);
    }

    @Override
    boolean remembers() {
        return false;
    }

    static class Listener {

        private final CallEffect effect;

        Listener(CallEffect effect) {
            this.effect = effect;
        }

        @Transactional
        public void on(List<Message> messages) {
            effect.payAll(messages);
        }
    }
}
