package io.idempotency.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.Intent;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;

/**
 * The keys that the transactions of this thread hold, suspended ones included. PostgreSQL would let a thread wait for
 * itself: two transactions of one thread are no deadlock to it.
 */
final class HeldKeys {

    /** A thread keeps its list, also while that is empty: to remove it takes a native call, to make it an allocation. */
    private static final ThreadLocal<List<HeldKey>> HELD =
            NamedThreadLocal.withInitial("held idempotency keys", () -> new ArrayList<>(2));

    private HeldKeys() {}

    /** Refuses a key that this thread could only wait for in vain. */
    static void requireNotHeld(UUID requestId, Intent intent, Object transaction) {
        HeldKey held = find(requestId);
        if (held == null) {
            return;
        }
        if (held.transaction != transaction) {
            throw new ReentrantCallException(
                    intent,
                    "a lease or a transaction that is suspended now has claimed it, and this call would wait for it in"
                            + " vain."
                            + " Make the call in the same transaction, or use another key for a part of the work");
        }
        switch (held.state) {
            case RUNNING ->
                throw new ReentrantCallException(
                        intent,
                        "its method is still running and calls itself with the same key. Use another key for a part"
                                + " of the work");
            case FAILED ->
                throw new TransactionFailedException(
                        intent,
                        "the same call failed before in this transaction, which can only be rolled back. Repeat it in a"
                                + " new transaction");
            case COMPLETED -> {}
        }
    }

    static boolean areNone() {
        return HELD.get().isEmpty();
    }

    static HeldKey hold(UUID requestId, Object transaction) {
        HeldKey key = new HeldKey(requestId, transaction);
        HELD.get().add(key);
        return key;
    }

    private static @Nullable HeldKey find(UUID requestId) {
        for (HeldKey key : HELD.get()) {
            if (key.requestId.equals(requestId)) {
                return key;
            }
        }
        return null;
    }

    /** A key from its claim to the end of its transaction. */
    static final class HeldKey {

        private final UUID requestId;

        private final Object transaction;

        private State state = State.RUNNING;

        private HeldKey(UUID requestId, Object transaction) {
            this.requestId = requestId;
            this.transaction = transaction;
        }

        void completed() {
            state = State.COMPLETED;
        }

        void failed() {
            state = State.FAILED;
        }

        void release() {
            HELD.get().remove(this);
        }

        private enum State {
            RUNNING,
            COMPLETED,
            FAILED
        }
    }
}
