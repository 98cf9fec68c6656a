package io.idempotency.sample.patterns;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.idempotency.test.ConcurrentCalls;

/** Messages as brokers deliver them at worst: each of them several times, in any order, and all at once. */
final class Deliveries {

    static final int OF_EACH = 8;

    private Deliveries() {}

    static <M> void atOnce(List<M> messages, Receiver<M> receiver) {
        List<M> deliveries = new ArrayList<>();
        Collections.nCopies(OF_EACH, messages).forEach(deliveries::addAll);
        Collections.shuffle(deliveries, new Random(7));
        ConcurrentCalls.run(deliveries.size(), delivery -> {
                    receiver.receive(deliveries.get(delivery));
                    return delivery;
                })
                .requireAllSucceeded();
    }

    /** What a delivery is given to. */
    interface Receiver<M> {

        void receive(M message) throws Exception;
    }
}
