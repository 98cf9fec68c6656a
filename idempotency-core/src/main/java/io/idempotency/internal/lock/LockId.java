package io.idempotency.internal.lock;

import java.nio.ByteBuffer;

import io.idempotency.internal.codec.Digests;

/**
 * What PostgreSQL knows a lock by: the first 8 bytes of SHA-256 over the word {@value #NAMESPACE}, the lock's name and the
 * resource, each in UTF-8 behind its length in bytes as four bytes, the highest first. The SQL function
 * {@code idempotency_lock_id} computes the same. Internal.
 */
public final class LockId {

    private static final String NAMESPACE = "idempotency.lock";

    private LockId() {}

    /**
     * Computes the number of a lock.
     *
     * @param name of the lock
     * @param resource that is locked
     * @return the same for equal names and resources
     */
    public static long of(String name, String resource) {
        return ByteBuffer.wrap(Digests.sha256(NAMESPACE, name, resource)).getLong();
    }
}
