package io.idempotency.internal.outbox;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.CannotCreateTransactionException;

import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * Hands messages to the {@link OutboxHandler} methods of the application itself, each through the inbox and on another
 * connection than the relay's, so that each of them makes its effect once. A handler that fails does not keep the others
 * from handling the message, nor are they called again with it.
 */
public final class InProcessSender implements OutboxSender, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(InProcessSender.class);

    private final OutboxHandlers handlers;

    private final Inbox inbox;

    private final int threads;

    private final Semaphore free;

    /** Handlers whose time is over, and which go on all the same. */
    private final AtomicInteger overdue = new AtomicInteger();

    /** Topics that a warning has named. */
    private final Set<String> unhandled = ConcurrentHashMap.newKeySet();

    private final ExecutorService executor;

    /**
     * Creates the sender.
     *
     * @param handlers the methods
     * @param inbox remembers what they have handled
     * @param threads how many messages are handled at once
     */
    public InProcessSender(OutboxHandlers handlers, Inbox inbox, int threads) {
        this.handlers = handlers;
        this.inbox = inbox;
        this.threads = threads;
        this.free = new Semaphore(threads);
        CustomizableThreadFactory factory = new CustomizableThreadFactory("idempotency-outbox-handler-");
        factory.setDaemon(true);
        this.executor = Executors.newFixedThreadPool(threads, factory);
    }

    /**
     * As many as there are threads that are not lost to a handler that does not end: to refuse a message for want of a thread
     * would be a failure of that message. One at least, whose refusal says that there is no thread at all.
     */
    @Override
    public int concurrency() {
        return Math.max(1, threads - overdue.get());
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        List<HandlerMethod> called = handlers.of(message.topic());
        if (called.isEmpty()) {
            warnOnce(message.topic());
            return CompletableFuture.failedFuture(new IllegalStateException("Nobody handles the topic '"
                    + message.topic() + "': there is no @OutboxHandler for it, and no broker"
                    + " sends it. The topics with handlers are " + handlers.topics()));
        }
        if (!free.tryAcquire()) {
            return CompletableFuture.failedFuture(new SenderUnavailableException(
                    "All " + threads + " threads are with messages that took too long and do not end", null));
        }
        Handling handling = new Handling(message, called);
        executor.execute(handling);
        return handling;
    }

    private void warnOnce(String topic) {
        if (unhandled.add(topic)) {
            logger.warn(
                    "Nobody sends or handles messages of the topic '{}', so each is given up after its last attempt. Declare"
                            + " a method with @OutboxHandler(topic = \"{}\"), declare an OutboxSender or add Kafka, or set"
                            + " idempotency.outbox.relay=false if another application sends them. The topics with"
                            + " handlers are {}",
                    topic,
                    topic,
                    handlers.topics());
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** All handlers are called, and the first failure is that of the message. */
    private @Nullable Throwable handleBy(List<HandlerMethod> called, OutboxRecord message) {
        Throwable failure = null;
        for (HandlerMethod handler : called) {
            try {
                inbox.<Exception>handleOnce(
                        handler.consumer(), message.id().toString(), () -> handlers.handle(handler, message));
            } catch (CannotCreateTransactionException noConnection) {
                failure = add(
                        failure, new SenderUnavailableException("There is no connection for a handler", noConnection));
            } catch (Throwable thrown) {
                failure = add(failure, thrown);
            }
        }
        return failure;
    }

    private static Throwable add(@Nullable Throwable first, Throwable further) {
        if (first == null) {
            return further;
        }
        if (first != further) {
            first.addSuppressed(further);
        }
        return first;
    }

    /** One message with its handlers. Its cancellation interrupts them. */
    private final class Handling extends CompletableFuture<Void> implements Runnable {

        private final OutboxRecord message;

        private final List<HandlerMethod> called;

        private @Nullable Thread thread;

        /** Set while the thread works, if at all. */
        private boolean isOverdue;

        private Handling(OutboxRecord message, List<HandlerMethod> called) {
            this.message = message;
            this.called = called;
        }

        @Override
        public void run() {
            Throwable failure = null;
            if (begin()) {
                failure = handleBy(called, message);
                end();
            }
            // Before the relay can know that there is room for another one.
            free.release();
            if (isOverdue) {
                overdue.decrementAndGet();
            }
            if (failure == null) {
                complete(null);
            } else {
                completeExceptionally(failure);
            }
        }

        private synchronized boolean begin() {
            if (isDone()) {
                return false;
            }
            thread = Thread.currentThread();
            return true;
        }

        private synchronized void end() {
            thread = null;
            // An interrupt was for this message, and not for the next one of the thread.
            Thread.interrupted();
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            synchronized (this) {
                if (thread != null) {
                    thread.interrupt();
                    if (!isOverdue) {
                        isOverdue = true;
                        overdue.incrementAndGet();
                    }
                }
            }
            return super.cancel(mayInterruptIfRunning);
        }
    }
}
