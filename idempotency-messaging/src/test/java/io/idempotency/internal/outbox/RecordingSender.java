package io.idempotency.internal.outbox;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;

/** A receiver of messages that does with each what the test says, and knows which ones it has got. */
final class RecordingSender implements OutboxSender {

    final List<OutboxRecord> begun = new CopyOnWriteArrayList<>();

    /** In the order of their acknowledgements. */
    final List<OutboxRecord> sent = new CopyOnWriteArrayList<>();

    private volatile Function<OutboxRecord, CompletionStage<Void>> answer =
            message -> CompletableFuture.completedFuture(null);

    private volatile int concurrency = Integer.MAX_VALUE;

    private volatile List<String> topics;

    RecordingSender answering(Function<OutboxRecord, CompletionStage<Void>> newAnswer) {
        answer = newAnswer;
        return this;
    }

    /** The messages with this payload fail. */
    RecordingSender failing(String payload, Throwable failure) {
        return answering(message -> message.payload().equals(payload)
                ? CompletableFuture.failedFuture(failure)
                : CompletableFuture.completedFuture(null));
    }

    RecordingSender withTopics(String... names) {
        topics = List.of(names);
        return this;
    }

    RecordingSender withConcurrency(int messages) {
        concurrency = messages;
        return this;
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        begun.add(message);
        CompletionStage<Void> answered = answer.apply(message);
        return answered == null ? null : answered.thenRun(() -> sent.add(message));
    }

    @Override
    public List<String> topics() {
        return topics;
    }

    @Override
    public int concurrency() {
        return concurrency;
    }

    List<String> payloads() {
        return sent.stream().map(OutboxRecord::payload).toList();
    }

    List<String> begunPayloads() {
        return begun.stream().map(OutboxRecord::payload).toList();
    }
}
