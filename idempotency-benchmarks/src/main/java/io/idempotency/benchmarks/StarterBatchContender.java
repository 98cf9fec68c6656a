package io.idempotency.benchmarks;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.Inbox;

/** The effects of those messages of a batch that the inbox says are new. */
final class StarterBatchContender extends BatchContender {

    StarterBatchContender(ContenderSetup setup) {
        super("starter-batch-" + SIZE, setup, BatchListener.class, Starter.configuration(BatchListener.class));
    }

    @Override
    List<String> tables() {
        return List.of("idempotency.processed_message");
    }

    @Override
    boolean remembers() {
        return true;
    }

    static class BatchListener implements Listener {

        private final Inbox inbox;

        private final CallEffect effect;

        BatchListener(Inbox inbox, CallEffect effect) {
            this.inbox = inbox;
            this.effect = effect;
        }

        @Override
        @Transactional
        public void on(List<Message> messages) {
            effect.payAll(inbox.claimNew("payments", messages, Message::id));
        }
    }
}
