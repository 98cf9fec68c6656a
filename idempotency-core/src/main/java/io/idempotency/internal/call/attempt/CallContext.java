package io.idempotency.internal.call.attempt;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Digests;

/**
 * The context of a call, which its method gets from {@link IdempotencyContext} while it runs. No record, because no two
 * runs have equal contexts. It has neither a lease nor steps.
 */
public class CallContext implements IdempotencyContext {

    /** A random UUID. It must never change, because downstream keys are derived from it. */
    private static final UUID NAMESPACE = UUID.fromString("0c6c5a5e-7d5b-4d0e-9f4c-3f1c2a8f4f51");

    private static final int VERSION_5 = 5;

    /** An additional part, so that two steps that send to one place have different keys. */
    private static final String STEP = "step";

    private final Intent intent;

    private final @Nullable String namespace;

    private final int attempt;

    /** Creates the context of an attempt to make a call. */
    public CallContext(IdempotentCall call, int attempt) {
        this.intent = call.intent();
        this.namespace = call.key().namespace();
        this.attempt = attempt;
    }

    @Override
    public final Intent intent() {
        return intent;
    }

    @Override
    public final int attempt() {
        return attempt;
    }

    @Override
    public final String downstreamKey() {
        String step = runningStep();
        if (step == null) {
            throw new IllegalStateException("No step of the call for the " + intent
                    + " is running, so its downstream key needs a name: downstreamKey(\"...\")");
        }
        return downstreamKey(intent, namespace, step, null);
    }

    @Override
    public final String downstreamKey(String name) {
        return downstreamKey(intent, namespace, name, runningStep());
    }

    /** Returns the name of the step that is running; null if none is. */
    protected @Nullable String runningStep() {
        return null;
    }

    /**
     * Returns the key for another system.
     *
     * @param namespace the namespace of the call's key; {@code null} for requests
     * @param name names the other system, or the running step
     * @param step the running step; {@code null} if none is, or it is the name
     */
    public static String downstreamKey(Intent intent, @Nullable String namespace, String name, @Nullable String step) {
        MessageDigest digest = Digests.create("SHA-1");
        digest.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(NAMESPACE.getMostSignificantBits())
                .putLong(NAMESPACE.getLeastSignificantBits())
                .array());
        Digests.update(digest, intent.scope(), intent.caller(), intent.key().value(), name);
        if (namespace != null) {
            Digests.update(digest, namespace);
        }
        if (step != null) {
            Digests.update(digest, STEP, step);
        }
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (hash.getLong() & ~0xF000L) | (VERSION_5 << 12);
        long low = (hash.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    @Override
    public void extendLease(Duration duration) {
        throw new IllegalStateException("The call for the " + intent + " holds no lease: its claim is part of its"
                + " transaction, which holds the key for as long as it is open");
    }

    @Override
    @SuppressWarnings("unchecked") // It is the type of T.
    public final <T, X extends Exception> @Nullable T step(
            String name, Class<T> type, IdempotencyOperations.Callback<? extends @Nullable T, X> work) {
        return (T) unchecked(() -> runStep(name, false, type, work::call));
    }

    @Override
    @SuppressWarnings("unchecked") // It is the type of T.
    public final <T, X extends Exception> @Nullable T step(
            String name,
            ParameterizedTypeReference<T> type,
            IdempotencyOperations.Callback<? extends @Nullable T, X> work) {
        return (T) unchecked(() -> runStep(name, false, type.getType(), work::call));
    }

    @Override
    @SuppressWarnings("unchecked") // It is the type of T.
    public final <T, X extends Exception> @Nullable T stepInTransaction(
            String name, Class<T> type, IdempotencyOperations.Callback<? extends @Nullable T, X> work) {
        return (T) unchecked(() -> runStep(name, true, type, work::call));
    }

    @Override
    @SuppressWarnings("unchecked") // It is the type of T.
    public final <T, X extends Exception> @Nullable T stepInTransaction(
            String name,
            ParameterizedTypeReference<T> type,
            IdempotencyOperations.Callback<? extends @Nullable T, X> work) {
        return (T) unchecked(() -> runStep(name, true, type.getType(), work::call));
    }

    @Override
    public final <X extends Exception> void step(String name, IdempotencyOperations.Action<X> work) {
        unchecked(() -> runStep(name, false, void.class, withoutResult(work)));
    }

    @Override
    public final <X extends Exception> void stepInTransaction(String name, IdempotencyOperations.Action<X> work) {
        unchecked(() -> runStep(name, true, void.class, withoutResult(work)));
    }

    private static Invocation withoutResult(IdempotencyOperations.Action<?> work) {
        return () -> {
            work.run();
            return null;
        };
    }

    private static @Nullable Object unchecked(Invocation step) {
        try {
            return step.proceed();
        } catch (Throwable failure) {
            throw Rethrow.unchanged(failure);
        }
    }

    /** Runs a step, or replays what is recorded of it. */
    protected @Nullable Object runStep(String name, boolean isInTransaction, Type type, Invocation work)
            throws Throwable {
        throw new IllegalStateException("The call for the " + intent + " has no steps, because it holds no lease: use"
                + " mode = LEASED. In the other modes everything is rolled back together");
    }
}
