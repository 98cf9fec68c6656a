package io.idempotency.benchmarks;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

/** The effects of a batch alone. */
final class PlainBatchContender extends BatchContender {

    static final String NAME = "plain-batch-" + SIZE;

    PlainBatchContender(ContenderSetup setup) {
        super(NAME, setup, BatchListener.class, List.of(BatchListener.class));
    }

    @Override
    boolean remembers() {
        return false;
    }

    static class BatchListener implements Listener {

        private final CallEffect effect;

        BatchListener(CallEffect effect) {
            this.effect = effect;
        }

        @Override
        @Transactional
        public void on(List<Message> messages) {
            effect.payAll(messages);
        }
    }
}
