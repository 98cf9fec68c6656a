package io.idempotency.codec;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;

/** Text as PostgreSQL and brokers carry it. Internal. */
public final class Utf8 {

    private static final char FIRST_OF_TWO_BYTES = 0x80;

    private static final char FIRST_OF_THREE_BYTES = 0x800;

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
}
