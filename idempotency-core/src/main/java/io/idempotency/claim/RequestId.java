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

    private RequestId() {}

    /**
     * Computes the primary key of an intent.
     *
     * @param intent scope, caller and key
     * @return the same for equal intents
     */
    public static UUID of(Intent intent) {
        return digest(intent.scope(), intent.caller(), intent.key().value());
    }

    /**
     * Computes what stands for a message of a consumer, in memory only. It has a part more than an intent, so that a call
     * and a message of equal names are not taken for each other.
     *
     * @param intent the consumer as scope, and the message id as key
     * @return the same for equal messages, and never that of an intent
     */
    public static UUID ofMessage(Intent intent) {
        return digest(intent.scope(), intent.caller(), intent.key().value(), "message");
    }

    private static UUID digest(String... parts) {
        byte[][] encoded = new byte[parts.length][];
        int length = 0;
        for (int i = 0; i < parts.length; i++) {
            encoded[i] = parts[i].getBytes(StandardCharsets.UTF_8);
            length += Integer.BYTES + encoded[i].length;
        }
        ByteBuffer identity = ByteBuffer.allocate(length);
        for (byte[] part : encoded) {
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
