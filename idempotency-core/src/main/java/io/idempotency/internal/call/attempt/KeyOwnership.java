package io.idempotency.internal.call.attempt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.Intent;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;

/**
 * The keys that the transactions and leases of this thread hold, also in suspended transactions. PostgreSQL does not
 * see a deadlock if a thread waits for its own suspended transaction, so that is refused here.
 */
public final class KeyOwnership {

    /** A thread keeps its empty list, because removing and allocating it for each call costs time. */
    private static final ThreadLocal<List<HeldKey>> HELD =
            NamedThreadLocal.withInitial("held idempotency keys", () -> new ArrayList<>(2));

    /** The same keys of all threads, for operators: PostgreSQL shows nothing of a claim before its commit. */
    private static final Set<HeldKey> OF_ALL_THREADS = ConcurrentHashMap.newKeySet();

    private KeyOwnership() {}

    /**
     * Throws if this thread holds the key itself, unless the same transaction has completed it. Throws as well if a key that the
     * transaction must keep is lost: a new claim in it would hide that.
     */
    public static void requireNotHeld(LocalKey localKey, Intent intent, Object transaction) {
        for (HeldKey key : HELD.get()) {
            if (key.transaction == transaction) {
                key.requireKept.run();
            }
        }
        HeldKey held = find(localKey, transaction);
        if (held == null) {
            return;
        }
        if (held.transaction != transaction) {
            throw new ReentrantCallException(
                    intent,
                    "a lease or a transaction that is suspended now has claimed it, and this call would wait for it in"
                            + " vain. Make the call in the same transaction, or use another key for a part of the work");
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
            case STORED_WITH_COMMIT ->
                throw new ReentrantCallException(
                        intent,
                        "its response is stored with the COMMIT of this transaction, because its mode is OPTIMISTIC, so that it"
                                + " cannot be replayed before. Make the call after the commit");
            case COMPLETED -> {}
        }
    }

    public static boolean isNoneHeld() {
        return HELD.get().isEmpty();
    }

    public static HeldKey hold(IdempotentCall call, Object transaction) {
        HeldKey key = new HeldKey(call.localKey(), call.intent(), transaction);
        HELD.get().add(key);
        OF_ALL_THREADS.add(key);
        return key;
    }

    /** Returns the keys that calls of this JVM hold now, the longest held first. */
    public static List<Holder> holders() {
        return OF_ALL_THREADS.stream()
                .map(HeldKey::holder)
                .sorted(Comparator.comparing(Holder::heldFor).reversed())
                .toList();
    }

    /** Finds a key of the same transaction by its id alone: a transaction has one database, even if routing has changed. */
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

    /**
     * The identity of a key in this JVM. The request id alone is unique only within one database.
     *
     * @param requestId the id of the intent or of the message
     */
    public record LocalKey(UUID requestId, Object database) {}

    /**
     * The call that holds a key.
     *
     * @param hasReturned whether its method has returned, so that the end of its transaction is awaited
     */
    public record Holder(Intent intent, String thread, boolean hasReturned, Duration heldFor) {}

    /** A key that is held from its claim to the end of its transaction or leased call. */
    public static final class HeldKey {

        private final LocalKey localKey;

        private final Intent intent;

        private final Object transaction;

        private final Thread thread = Thread.currentThread();

        private final long since = System.nanoTime();

        private Runnable requireKept = () -> {};

        private volatile State state = State.RUNNING;

        private HeldKey(LocalKey localKey, Intent intent, Object transaction) {
            this.localKey = localKey;
            this.intent = intent;
            this.transaction = transaction;
        }

        private Holder holder() {
            return new Holder(
                    intent, thread.getName(), state != State.RUNNING, Duration.ofNanos(System.nanoTime() - since));
        }

        /** Sets a check that throws if the transaction has lost the key. */
        void mustBeKept(Runnable check) {
            requireKept = check;
        }

        /** Removes the check, because a caller may roll back to a savepoint before the claim. */
        void mayBeUndone() {
            requireKept = () -> {};
        }

        void completed() {
            state = State.COMPLETED;
        }

        /** The row will be inserted with the COMMIT: until then nothing can find it. */
        void storedWithCommit() {
            state = State.STORED_WITH_COMMIT;
        }

        void failed() {
            state = State.FAILED;
        }

        public void release() {
            OF_ALL_THREADS.remove(this);
            HELD.get().remove(this);
        }

        private enum State {
            RUNNING,
            STORED_WITH_COMMIT,
            COMPLETED,
            FAILED
        }
    }
}
