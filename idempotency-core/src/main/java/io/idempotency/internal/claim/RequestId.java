package io.idempotency.internal.claim;

import java.nio.ByteBuffer;
import java.util.UUID;

import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Digests;

/**
 * The primary key of an intent: the first 16 bytes of SHA-256 over scope, caller and key, each in UTF-8 after its length
 * in bytes, which is a big-endian number of four bytes. The SQL function {@code idempotency_request_id} computes the same.
 */
public final class RequestId {

    private RequestId() {}

    /**
     * Computes the primary key of an intent.
     *
     * @param intent scope, caller and key
     * @return the id, which is the same for equal intents
     */
    public static UUID of(Intent intent) {
        return idOf(intent.scope(), intent.caller(), intent.key().value());
    }

    /**
     * Computes the id of a message of a consumer, which is used in memory only. A message has one part more than an intent, so
     * that a call and a message of equal names have different ids.
     *
     * @param intent the consumer as scope, and the message id as key
     * @return the id, which is the same for equal messages
     */
    public static UUID ofMessage(Intent intent) {
        return idOf(intent.scope(), intent.caller(), intent.key().value(), "message");
    }

    private static UUID idOf(String... parts) {
        ByteBuffer hash = ByteBuffer.wrap(Digests.sha256(parts));
        return new UUID(hash.getLong(), hash.getLong());
    }
}
