package io.idempotency.benchmarks;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Keys in no order, as random ones are, that can be made again: here, and in SQL with md5. */
final class Keys {

    /** Of the rows that are inserted by SQL. */
    static final String GROWN = "grown-";

    private static final String CALLED = "called-";

    private Keys() {}

    static String called(long number) {
        return md5(CALLED + number);
    }

    static String grown(long number) {
        return md5(GROWN + number);
    }

    private static String md5(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has MD5", impossible);
        }
    }
}
