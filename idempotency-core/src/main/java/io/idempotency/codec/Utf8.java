package io.idempotency.codec;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;

/** Text as PostgreSQL and brokers carry it. Internal. */
public final class Utf8 {

    private static final char FIRST_OF_TWO_BYTES = 0x80;

    private static final char FIRST_OF_THREE_BYTES = 0x800;

    private static final int FIRST_OF_FOUR_BYTES = 0x10000;

    /** Of one code point. */
    static final int MAX_BYTES = 4;

    /** Of a code point, in each byte but the first. */
    private static final int BITS = 6;

    private Utf8() {}

    /**
     * How long a text is.
     *
     * @param text any text
     * @return its bytes
     * @throws CharacterCodingException if it contains half of a surrogate pair, which UTF-8 cannot carry
     */
    public static int lengthOf(String text) throws CharacterCodingException {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (Character.isSurrogate(character)) {
                if (Character.isLowSurrogate(character)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new MalformedInputException(1);
                }
                // Two characters are four bytes.
                bytes += 2;
                i++;
            } else if (character >= FIRST_OF_THREE_BYTES) {
                bytes += 2;
            } else if (character >= FIRST_OF_TWO_BYTES) {
                bytes++;
            }
        }
        return bytes;
    }

    /**
     * Writes one code point.
     *
     * @param codePoint no half of a surrogate pair
     * @param out has room for {@link #MAX_BYTES}
     * @param at where to begin
     * @return where the next one begins
     */
    static int encode(int codePoint, byte[] out, int at) {
        if (codePoint < FIRST_OF_TWO_BYTES) {
            out[at] = (byte) codePoint;
            return at + 1;
        }
        if (codePoint < FIRST_OF_THREE_BYTES) {
            out[at] = (byte) (0xC0 | (codePoint >> BITS));
            out[at + 1] = following(codePoint);
            return at + 2;
        }
        if (codePoint < FIRST_OF_FOUR_BYTES) {
            out[at] = (byte) (0xE0 | (codePoint >> (2 * BITS)));
            out[at + 1] = following(codePoint >> BITS);
            out[at + 2] = following(codePoint);
            return at + 3;
        }
        out[at] = (byte) (0xF0 | (codePoint >> (3 * BITS)));
        out[at + 1] = following(codePoint >> (2 * BITS));
        out[at + 2] = following(codePoint >> BITS);
        out[at + 3] = following(codePoint);
        return at + MAX_BYTES;
    }

    private static byte following(int bits) {
        return (byte) (0x80 | (bits & 0x3F));
    }
}
