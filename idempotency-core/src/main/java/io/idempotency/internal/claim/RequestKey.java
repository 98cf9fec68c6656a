package io.idempotency.internal.claim;

import java.nio.ByteBuffer;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Digests;
import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * The key of a request with all that belongs to it.
 *
 * @param id the primary key: the first 16 bytes of SHA-256 over scope, caller and key, each in UTF-8 after its length in bytes, which
 *     is a big-endian number of four bytes. The SQL function {@code idempotency_request_id} computes the same
 * @param namespace an additional part of the id and of downstream keys; {@code null} for requests
 */
public record RequestKey(
        UUID id,
        Intent intent,
        Fingerprint fingerprint,
        @Nullable String namespace) {

    /** Returns the key of a request. */
    public static RequestKey of(Intent intent, Fingerprint fingerprint) {
        return new RequestKey(idOf(intent), intent, fingerprint, null);
    }

    /**
     * Returns a key of another namespace than that of requests.
     *
     * @param namespace its keys are different from those of requests with equal names
     */
    public static RequestKey of(Intent intent, Fingerprint fingerprint, String namespace) {
        return new RequestKey(idOf(intent, namespace), intent, fingerprint, namespace);
    }

    /** Returns the primary key of an intent. */
    public static UUID idOf(Intent intent) {
        return idOf(intent.scope(), intent.caller(), intent.key().value());
    }

    /**
     * Returns the id of an intent of another namespace than that of requests. It has one part more than the id of a request, so that
     * they are different if the intents are equal.
     */
    public static UUID idOf(Intent intent, String namespace) {
        return idOf(intent.scope(), intent.caller(), intent.key().value(), namespace);
    }

    private static UUID idOf(String... parts) {
        ByteBuffer hash = ByteBuffer.wrap(Digests.sha256(parts));
        return new UUID(hash.getLong(), hash.getLong());
    }
}
