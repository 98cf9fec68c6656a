package io.idempotency.claim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

import io.idempotency.Intent;

/**
 * The primary key of an intent: the first 16 bytes of SHA-256 over scope, caller and key, each in UTF-8 behind its length
 * in bytes as four bytes, the highest first. The SQL function {@code idempotency_request_id} computes the same.
 */
public final class RequestId {

    private static final int LENGTHS = 3 * Integer.BYTES;

    private RequestId() {}

    /**
     * Computes the primary key of an intent.
     *
     * @param intent scope, caller and key
     * @return the same for equal intents
     */
    public static UUID of(Intent intent) {
        byte[] scope = intent.scope().getBytes(StandardCharsets.UTF_8);
        byte[] caller = intent.caller().getBytes(StandardCharsets.UTF_8);
        byte[] key = intent.key().value().getBytes(StandardCharsets.UTF_8);
        ByteBuffer identity = ByteBuffer.allocate(LENGTHS + scope.length + caller.length + key.length);
        for (byte[] part : new byte[][] {scope, caller, key}) {
            identity.putInt(part.length).put(part);
        }
        ByteBuffer digest = ByteBuffer.wrap(sha256(identity.array()));
        return new UUID(digest.getLong(), digest.getLong());
    }

    private static byte[] sha256(byte[] identity) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(identity);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
