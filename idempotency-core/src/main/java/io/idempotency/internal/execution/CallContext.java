package io.idempotency.internal.execution;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyContext;
import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.internal.codec.Digests;
import io.idempotency.internal.operation.CallOptions;

/**
 * The context of a call, which its method gets from {@link IdempotencyContext} while it runs. No record, because no two
 * runs have equal contexts.
 */
final class CallContext implements IdempotencyContext {

    /** A random UUID. It must never change, because downstream keys are derived from it. */
    private static final UUID NAMESPACE = UUID.fromString("0c6c5a5e-7d5b-4d0e-9f4c-3f1c2a8f4f51");

    private static final int VERSION_5 = 5;

    /** An additional part, so that a call and a message of equal names have different keys. */
    private static final String MESSAGE = "message";

    private final Intent intent;

    private final boolean isMessage;

    private final int attempt;

    private final @Nullable HeldLease lease;

    CallContext(Intent intent, boolean isMessage, int attempt, @Nullable HeldLease lease) {
        this.intent = intent;
        this.isMessage = isMessage;
        this.attempt = attempt;
        this.lease = lease;
    }

    @Override
    public Intent intent() {
        return intent;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public String downstreamKey(String name) {
        MessageDigest digest = Digests.create("SHA-1");
        digest.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(NAMESPACE.getMostSignificantBits())
                .putLong(NAMESPACE.getLeastSignificantBits())
                .array());
        Digests.update(digest, intent.scope(), intent.caller(), intent.key().value(), name);
        if (isMessage) {
            Digests.update(digest, MESSAGE);
        }
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (hash.getLong() & ~0xF000L) | (VERSION_5 << 12);
        long low = (hash.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    @Override
    public void extendLease(Duration duration) {
        if (lease == null) {
            throw new IllegalStateException("The call for the " + intent + " holds no lease: its claim is part of its"
                    + " transaction, which holds the key for as long as it is open");
        }
        CallOptions.requireLease(duration);
        if (lease.conflictsWithSnapshot()) {
            throw new IllegalStateException(
                    "The lease of the " + intent + " cannot be extended, because the method's own"
                            + " transaction is REPEATABLE READ or SERIALIZABLE: it could not complete a row that has changed"
                            + " since it began. Use READ COMMITTED, or give the method a longer lease from the start");
        }
        if (!lease.extend(duration)) {
            throw new LeaseLostException(intent, attempt);
        }
    }
}
