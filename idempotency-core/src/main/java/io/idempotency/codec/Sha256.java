package io.idempotency.codec;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, which every Java platform has. Internal. */
public final class Sha256 {

    /** Making one takes longer, and more memory, than hashing a short text. */
    private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Sha256::create);

    private Sha256() {}

    /**
     * A digest that this thread uses for one hash after the other. Nothing but what is hashed may be done until the hash is
     * there.
     *
     * @return of nothing so far
     */
    public static MessageDigest ofThread() {
        MessageDigest digest = DIGESTS.get();
        digest.reset();
        return digest;
    }

    private static MessageDigest create() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
