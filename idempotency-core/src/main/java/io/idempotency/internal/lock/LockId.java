package io.idempotency.internal.lock;

import java.nio.ByteBuffer;

import io.idempotency.internal.fingerprint.Digests;

/**
 * The number by which PostgreSQL identifies a lock: the first 8 bytes of SHA-256 over the word {@value #NAMESPACE}, the lock's name and the
 * resource, each in UTF-8 after its length in bytes, which is a big-endian number of four bytes. The SQL function
 * {@code idempotency_lock_id} computes the same.
 */
final class LockId {

    private static final String NAMESPACE = "idempotency.lock";

    private LockId() {}

    /** Computes the number of a lock. */
    static long of(String name, String resource) {
        return ByteBuffer.wrap(Digests.sha256(NAMESPACE, name, resource)).getLong();
    }
}
