package io.idempotency.execution;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Knows the transactions of each thread, the innermost last, and which of them are being committed. In callbacks after its
 * commit a transaction looks as if it were open still; what is written in one is kept or lost by chance.
 */
public final class TransactionFrames implements TransactionExecutionListener {

    private static final ThreadLocal<Deque<Frame>> FRAMES = new ThreadLocal<>();

    /** Whether the innermost transaction of this thread takes nothing any more. */
    static boolean isInnermostOver() {
        Deque<Frame> frames = FRAMES.get();
        if (frames == null) {
            return false;
        }
        // Of those whose manager did not tell their end.
        while (!frames.isEmpty() && frames.peekLast().transaction.isCompleted()) {
            frames.removeLast();
        }
        return !frames.isEmpty() && frames.peekLast().isCommitting;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            Deque<Frame> frames = FRAMES.get();
            if (frames == null) {
                frames = new ArrayDeque<>(2);
                FRAMES.set(frames);
            }
            frames.addLast(new Frame(transaction));
        }
    }

    /** After everything that others do before the commit. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Deque<Frame> frames = FRAMES.get();
        if (frames != null) {
            frames.stream()
                    .filter(frame -> frame.transaction == transaction)
                    .forEach(frame -> frame.isCommitting = true);
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        remove(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        remove(transaction);
    }

    private static void remove(TransactionExecution transaction) {
        Deque<Frame> frames = FRAMES.get();
        if (frames != null) {
            frames.removeIf(frame -> frame.transaction == transaction);
            if (frames.isEmpty()) {
                FRAMES.remove();
            }
        }
    }

    private static final class Frame {

        private final TransactionExecution transaction;

        private boolean isCommitting;

        private Frame(TransactionExecution transaction) {
            this.transaction = transaction;
        }
    }
}
