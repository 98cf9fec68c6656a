package io.idempotency.internal.claim;

import java.nio.ByteBuffer;
import java.util.UUID;

import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Digests;
import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * The key of a request with all that belongs to it.
 *
 * @param id the primary key: the first 16 bytes of SHA-256 over scope, caller and key, each in UTF-8 after its length in bytes, which
 *     is a big-endian number of four bytes. The SQL function {@code idempotency_request_id} computes the same
 * @param intent scope, caller and key
 * @param fingerprint fingerprint of the payload
 */
public record RequestKey(UUID id, Intent intent, Fingerprint fingerprint) {

    /** Returns the key of a request. */
    public static RequestKey of(Intent intent, Fingerprint fingerprint) {
        return new RequestKey(idOf(intent), intent, fingerprint);
    }

    /** Returns the key of a message. The consumer is its scope, and the message id its key. */
    public static RequestKey ofMessage(Intent intent, Fingerprint fingerprint) {
        return new RequestKey(idOfMessage(intent), intent, fingerprint);
    }

    /** Returns the primary key of an intent. */
    public static UUID idOf(Intent intent) {
        return idOf(intent.scope(), intent.caller(), intent.key().value());
    }

    /**
     * Returns the id of a message, which is used in memory only. A message has one part more than an intent, so that a call and a
     * message of equal names have different ids.
     */
    public static UUID idOfMessage(Intent intent) {
        return idOf(intent.scope(), intent.caller(), intent.key().value(), "message");
    }

    private static UUID idOf(String... parts) {
        ByteBuffer hash = ByteBuffer.wrap(Digests.sha256(parts));
        return new UUID(hash.getLong(), hash.getLong());
    }
}
