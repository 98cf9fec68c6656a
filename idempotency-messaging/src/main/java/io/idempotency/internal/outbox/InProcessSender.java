package io.idempotency.internal.outbox;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.CannotCreateTransactionException;

import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * Passes messages to the {@link OutboxHandler} methods of the application. Each handles a message through the inbox, on another
 * connection than the relay's, so that its effect is made once. If a handler fails, the other handlers of the message are called
 * all the same, and those that have succeeded are not called again when it is repeated.
 */
public final class InProcessSender implements OutboxSender, AutoCloseable {

    private final OutboxHandlers handlers;

    private final Inbox inbox;

    private final int threads;

    private final Semaphore free;

    /** The number of messages whose handlers were cancelled and are still running. */
    private final AtomicInteger overdue = new AtomicInteger();

    private final ExecutorService executor;

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
     * Returns the number of threads that overdue handlers do not occupy, because a message that gets no thread would count as failed.
     * Returns at least one, so that a message is refused with the reason if no thread is left.
     */
    @Override
    public int concurrency() {
        return Math.max(1, threads - overdue.get());
    }

    @Override
    public List<String> topics() {
        return handlers.topics();
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        List<HandlerMethod> called = handlers.of(message.topic());
        if (called.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("No @OutboxHandler takes the topic '" + message.topic() + "'"));
        }
        if (!free.tryAcquire()) {
            return CompletableFuture.failedFuture(new SenderUnavailableException(
                    "All " + threads + " threads are busy with handlers that took too long and do not end", null));
        }
        Handling handling = new Handling(message, called);
        executor.execute(handling);
        return handling;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /**
     * Calls all handlers that can read the message. Returns the first failure, to which the others are added; null if all have
     * succeeded.
     */
    private @Nullable Throwable handleBy(List<HandlerMethod> called, OutboxRecord message) {
        Throwable failure = null;
        Throwable left = null;
        for (HandlerMethod handler : called) {
            try {
                inbox.<Exception>handleOnce(
                        handler.consumer(),
                        message.id().toString(),
                        () -> handlers.prepare(handler, message).call());
            } catch (CannotCreateTransactionException noConnection) {
                failure = add(
                        failure, new SenderUnavailableException("There is no connection for a handler", noConnection));
            } catch (OtherVersionException unreadable) {
                left = unreadable;
            } catch (Throwable thrown) {
                failure = add(failure, thrown);
            }
        }
        return failure == null ? left : failure;
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

    /** The handling of one message by its handlers. To cancel it interrupts them. */
    private final class Handling extends CompletableFuture<Void> implements Runnable {

        private final OutboxRecord message;

        private final List<HandlerMethod> called;

        private @Nullable Thread thread;

        /** Set if the handling was cancelled while it was running. */
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
            // Before the future is completed, because the relay may send another message then.
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
            // An interrupt was meant for this message and not for the next one of the thread.
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
