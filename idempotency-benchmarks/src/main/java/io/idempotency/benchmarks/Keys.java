package io.idempotency.benchmarks;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;

/** Keys that can be made again: here, and those in no order in SQL with md5 too. */
final class Keys {

    /** Of the rows that are inserted by SQL. */
    static final String GROWN = "grown-";

    private static final String CALLED = "called-";

    private static final long FIRST_MILLIS =
            Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private static final long MESSAGES_IN_A_MILLISECOND = 100;

    private Keys() {}

    /** In no order, as random ones are. */
    static String called(long number) {
        return md5(CALLED + number);
    }

    static String grown(long number) {
        return md5(GROWN + number);
    }

    /**
     * A version-7 UUID, as the library's outbox gives to a message: of those of one millisecond in no order.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7">RFC 9562, UUID Version 7</a>
     */
    static String timeOrdered(long number) {
        ByteBuffer random = ByteBuffer.wrap(digest(CALLED + number));
        long milliseconds = FIRST_MILLIS + number / MESSAGES_IN_A_MILLISECOND;
        long high = (milliseconds << 16) | 0x7000L | (random.getShort() & 0x0FFFL);
        long low = 0x8000000000000000L | (random.getLong() & 0x3FFFFFFFFFFFFFFFL);
        return new UUID(high, low).toString();
    }

    private static String md5(String text) {
        return HexFormat.of().formatHex(digest(text));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has MD5", impossible);
        }
    }
}
