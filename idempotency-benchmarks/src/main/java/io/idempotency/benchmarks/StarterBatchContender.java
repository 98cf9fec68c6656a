package io.idempotency.benchmarks;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.Inbox;

/** The effects of those messages of a batch that the inbox says are new. */
final class StarterBatchContender extends BatchContender {

    private final Listener listener;

    StarterBatchContender(ContenderSetup setup) {
        super("starter-batch-" + SIZE, setup, Starter.configuration(Listener.class));
        listener = application.getBean(Listener.class);
    }

    @Override
    List<String> tables() {
        return List.of("idempotency.processed_message");
    }

    @Override
    void handle(List<Message> messages) {
        listener.on(messages);
    }

    @Override
    boolean remembers() {
        return true;
    }

    static class Listener {

        private final Inbox inbox;

        private final CallEffect effect;

        Listener(Inbox inbox, CallEffect effect) {
            this.inbox = inbox;
            this.effect = effect;
        }

        @Transactional
        public void on(List<Message> messages) {
            effect.payAll(inbox.claimNew("payments", messages, Message::id));
        }
    }
}
