package io.idempotency.internal.execution;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.Intent;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;

/**
 * The keys that the transactions of this thread hold, suspended ones included. PostgreSQL would let a thread wait for
 * itself: two transactions of one thread are no deadlock to it.
 */
public final class KeyOwnership {

    /** A thread keeps its list, also while that is empty: to remove it takes a native call, to make it an allocation. */
    private static final ThreadLocal<List<HeldKey>> HELD =
            NamedThreadLocal.withInitial("held idempotency keys", () -> new ArrayList<>(2));

    private KeyOwnership() {}

    /** Refuses a key that this thread could only wait for in vain. */
    public static void requireNotHeld(LocalKey localKey, Intent intent, Object transaction) {
        HeldKey held = find(localKey, transaction);
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

    public static boolean areNone() {
        return HELD.get().isEmpty();
    }

    static HeldKey hold(LocalKey localKey, Object transaction) {
        HeldKey key = new HeldKey(localKey, transaction);
        HELD.get().add(key);
        return key;
    }

    /** One transaction is on one database, whichever the thread would choose for another. */
    private static @Nullable HeldKey find(LocalKey localKey, Object transaction) {
        for (HeldKey key : HELD.get()) {
            if (key.localKey.equals(localKey)
                    || (key.transaction == transaction
                            && key.localKey.requestId().equals(localKey.requestId()))) {
                return key;
            }
        }
        return null;
    }

    /** A key from its claim to the end of its transaction. */
    static final class HeldKey {

        private final LocalKey localKey;

        private final Object transaction;

        private State state = State.RUNNING;

        private HeldKey(LocalKey localKey, Object transaction) {
            this.localKey = localKey;
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
