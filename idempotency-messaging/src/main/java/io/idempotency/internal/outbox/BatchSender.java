package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;

/**
 * Sends one batch. Messages with different ordering keys, or none, are sent at the same time. The next message of an ordering key
 * is sent when the one before it is acknowledged; after a failure no further message of the key is sent.
 */
final class BatchSender {

    private final OutboxSender sender;

    private final Function<OutboxRecord, @Nullable String> problemOf;

    private final Duration timeout;

    private final BooleanSupplier stopped;

    private final Deque<OutboxRecord> ready = new ArrayDeque<>();

    private final Map<String, Queue<OutboxRecord>> followers = new HashMap<>();

    /** The attempts in the order of their deadlines. */
    private final Set<SendAttempt> inFlight = new LinkedHashSet<>();

    private final BlockingQueue<SendAttempt> ended = new LinkedBlockingQueue<>();

    private final List<SendAttempt> results = new ArrayList<>();

    /**
     * Creates the sender of one batch.
     *
     * @param problemOf returns what cannot be read of a message, which is not sent then; {@code null} if it is whole
     * @param timeout the longest time of one message, and the time for which further messages are started
     * @param stopped returns whether no further message is to be started
     */
    BatchSender(
            OutboxSender sender,
            Function<OutboxRecord, @Nullable String> problemOf,
            Duration timeout,
            BooleanSupplier stopped) {
        this.sender = sender;
        this.problemOf = problemOf;
        this.timeout = timeout;
        this.stopped = stopped;
    }

    /** Sends the messages. Returns the attempts that have succeeded or failed, without the messages that were not started. */
    List<SendAttempt> send(List<OutboxRecord> messages) {
        queue(messages);
        long lastStart = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                while (!ready.isEmpty() && mayStart(lastStart)) {
                    start(ready.remove());
                }
                if (inFlight.isEmpty()) {
                    return results;
                }
                awaitOne();
            }
        } catch (InterruptedException interrupted) {
            // Messages in flight count as not started, and are sent again.
            inFlight.forEach(attempt -> attempt.future.cancel(true));
            Thread.currentThread().interrupt();
            return results;
        }
    }

    private void queue(List<OutboxRecord> messages) {
        for (OutboxRecord message : messages) {
            String key = message.orderingKey();
            if (key == null || !followers.containsKey(key)) {
                ready.add(message);
            }
            if (key != null) {
                followers.computeIfAbsent(key, first -> new ArrayDeque<>()).add(message);
            }
        }
        // The first message of each key is ready already.
        followers.values().forEach(Queue::remove);
    }

    private boolean mayStart(long lastStart) {
        return inFlight.size() < sender.concurrency() && !stopped.getAsBoolean() && System.nanoTime() - lastStart < 0;
    }

    private void start(OutboxRecord message) {
        CompletableFuture<Void> future = trySend(message);
        SendAttempt attempt = new SendAttempt(message, future, System.nanoTime() + timeout.toNanos());
        inFlight.add(attempt);
        CompletionStage<Void> answer = future;
        answer.handle((nothing, failure) -> {
            attempt.failure = failure;
            return ended.add(attempt);
        });
    }

    /** Makes an exception of the sender a failure of this message: otherwise the results of the others would be lost. */
    private CompletableFuture<Void> trySend(OutboxRecord message) {
        try {
            String problem = problemOf.apply(message);
            if (problem != null) {
                throw new OtherVersionException("The " + message + " cannot be sent, because " + problem, null);
            }
            CompletionStage<Void> answer = sender.send(message);
            if (answer == null) {
                throw new IllegalStateException(sender.getClass().getName() + " gave no answer for " + message);
            }
            return answer.toCompletableFuture();
        } catch (Throwable failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void awaitOne() throws InterruptedException {
        SendAttempt oldest = inFlight.iterator().next();
        SendAttempt attempt = ended.poll(Math.max(0, oldest.deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (attempt == null) {
            oldest.timedOut(timeout);
            end(oldest);
        } else if (inFlight.contains(attempt)) {
            end(attempt);
        }
    }

    private void end(SendAttempt attempt) {
        inFlight.remove(attempt);
        results.add(attempt);
        String key = attempt.message.orderingKey();
        Queue<OutboxRecord> next = key == null ? null : followers.get(key);
        if (attempt.failure() == null && next != null && !next.isEmpty()) {
            ready.add(next.remove());
        }
    }

    /** One attempt to send a message, and its result. */
    static final class SendAttempt {

        private final OutboxRecord message;

        private final CompletableFuture<Void> future;

        private final long deadline;

        private volatile @Nullable Throwable failure;

        private @Nullable Throwable timeout;

        private SendAttempt(OutboxRecord message, CompletableFuture<Void> future, long deadline) {
            this.message = message;
            this.future = future;
            this.deadline = deadline;
        }

        private void timedOut(Duration after) {
            timeout = new TimeoutException("Not acknowledged within " + after);
            future.cancel(true);
        }

        OutboxRecord message() {
            return message;
        }

        @Nullable Throwable failure() {
            if (timeout != null) {
                return timeout;
            }
            Throwable cause = failure;
            while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                    && cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause;
        }
    }
}
