package io.idempotency.benchmarks.batch;

import java.util.List;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Message;

/** The effects alone, which every delivery makes. */
class PlainBatches implements BatchService {

    private final Effect effect;

    PlainBatches(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Transactional
    public void handle(List<Message> messages) {
        effect.payAll(messages);
    }
}
