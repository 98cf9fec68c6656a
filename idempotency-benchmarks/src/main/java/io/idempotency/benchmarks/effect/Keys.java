package io.idempotency.benchmarks.effect;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/** Keys and ids that are made of a number, so that a repeat can make them again. */
public final class Keys {

    private static final long FIRST_MILLIS =
            Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private static final long MESSAGES_IN_A_MILLISECOND = 100;

    private Keys() {}

    /** Returns a key in no order, as random ones are. */
    public static String random(int number) {
        return hash(number).toString();
    }

    /** Returns a version-7 UUID, as the outbox gives to a message: only those of one millisecond are in no order. */
    public static String timeOrdered(int number) {
        UUID random = hash(number);
        long millis = FIRST_MILLIS + number / MESSAGES_IN_A_MILLISECOND;
        long high = (millis << 16) | 0x7000L | (random.getMostSignificantBits() & 0x0FFFL);
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }

    private static UUID hash(int number) {
        return UUID.nameUUIDFromBytes(("key-" + number).getBytes(StandardCharsets.US_ASCII));
    }
}
