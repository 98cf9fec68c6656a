package io.idempotency.benchmarks.batch;

import java.util.List;

import io.idempotency.benchmarks.effect.Message;

/** The listener of an application. */
@FunctionalInterface
interface BatchService {

    /** Makes the effects of the messages, in one transaction, unless they were made before. */
    void handle(List<Message> messages);
}
