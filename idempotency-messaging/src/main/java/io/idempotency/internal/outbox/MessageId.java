package io.idempotency.internal.outbox;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.UUID;

/**
 * Generates version-7 UUIDs: the time in milliseconds, so that messages of the same time are neighbours in the index, and 74
 * random bits.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7">RFC 9562, UUID Version 7</a>
 */
public final class MessageId {

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final long VERSION = 0x7000L;

    private static final long VARIANT = 0x8000000000000000L;

    private MessageId() {}

    /** Returns a new id of a message of that time. */
    public static UUID at(Clock clock) {
        byte[] bytes = new byte[Short.BYTES + Long.BYTES];
        RANDOM.nextBytes(bytes);
        ByteBuffer random = ByteBuffer.wrap(bytes);
        long high = (clock.millis() << 16) | VERSION | (random.getShort() & 0x0FFFL);
        long low = VARIANT | (random.getLong() & 0x3FFFFFFFFFFFFFFFL);
        return new UUID(high, low);
    }
}
