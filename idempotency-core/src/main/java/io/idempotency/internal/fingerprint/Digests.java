package io.idempotency.internal.fingerprint;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hashes of texts. */
public final class Digests {

    /** Cached, because creating a digest takes longer, and more memory, than hashing a short text. */
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(() -> create("SHA-256"));

    private Digests() {}

    /**
     * Returns the digest of this thread, reset. The caller must complete its hash before anything else uses the digest.
     *
     * @return an empty SHA-256 digest
     */
    static MessageDigest sha256() {
        MessageDigest digest = SHA_256.get();
        digest.reset();
        return digest;
    }

    /**
     * Hashes several texts with their lengths, so that their boundaries count.
     *
     * @param parts texts; each is hashed in UTF-8 after its length in bytes, as four bytes, big-endian
     * @return SHA-256 of all of them
     */
    public static byte[] sha256(String... parts) {
        MessageDigest digest = sha256();
        update(digest, parts);
        return digest.digest();
    }

    /** Adds several texts to a digest, each as in {@link #sha256(String...)}. */
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
     * @return an empty digest
     */
    public static MessageDigest create(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has " + algorithm, impossible);
        }
    }
}
