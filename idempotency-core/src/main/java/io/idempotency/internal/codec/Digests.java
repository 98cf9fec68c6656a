package io.idempotency.internal.codec;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hashes of texts. Internal. */
public final class Digests {

    /** Making one takes longer, and more memory, than hashing a short text. */
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(() -> create("SHA-256"));

    private Digests() {}

    /**
     * A digest that this thread uses for one hash after the other. Nothing but what is hashed may be done until the hash is
     * there.
     *
     * @return SHA-256 of nothing so far
     */
    static MessageDigest sha256() {
        MessageDigest digest = SHA_256.get();
        digest.reset();
        return digest;
    }

    /**
     * Hashes several texts, so that it counts where one ends and the next begins.
     *
     * @param parts each is hashed in UTF-8 behind its length in bytes as four bytes, the highest first
     * @return SHA-256 of all of them
     */
    public static byte[] sha256(String... parts) {
        MessageDigest digest = sha256();
        update(digest, parts);
        return digest.digest();
    }

    /**
     * Hashes several texts behind what was hashed before, each as {@link #sha256(String...)} does.
     *
     * @param digest of what was before
     * @param parts the texts
     */
    public static void update(MessageDigest digest, String... parts) {
        for (String part : parts) {
            byte[] encoded = part.getBytes(StandardCharsets.UTF_8);
            for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
                digest.update((byte) (encoded.length >> shift));
            }
            digest.update(encoded);
        }
    }

    /**
     * Creates a digest.
     *
     * @param algorithm one that every Java platform has
     * @return of nothing so far
     */
    public static MessageDigest create(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has " + algorithm, impossible);
        }
    }
}
