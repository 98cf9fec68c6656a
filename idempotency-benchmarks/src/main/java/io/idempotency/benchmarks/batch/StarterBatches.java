package io.idempotency.benchmarks.batch;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Message;
import io.idempotency.inbox.Inbox;

/** The effects of those messages that the inbox says are new. */
class StarterBatches implements BatchService {

    private final Inbox inbox;

    private final Effect effect;

    StarterBatches(Inbox inbox, Effect effect) {
        this.inbox = inbox;
        this.effect = effect;
    }

    @Override
    @Transactional
    public void handle(List<Message> messages) {
        effect.payAll(inbox.claimNew("payments", messages, Message::id));
    }
}
