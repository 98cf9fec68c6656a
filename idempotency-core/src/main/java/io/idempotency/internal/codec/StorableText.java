package io.idempotency.internal.codec;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;

/** Text as PostgreSQL and brokers carry it. Internal. */
public final class StorableText {

    private static final char FIRST_OF_TWO_BYTES = 0x80;

    private static final char FIRST_OF_THREE_BYTES = 0x800;

    private StorableText() {}

    /**
     * Leaves out what a text of PostgreSQL cannot hold, and cuts what is too long.
     *
     * @param text any text
     * @param maxLength in characters, counted as Unicode code points
     * @return the first characters, without the character 0
     */
    public static String of(String text, int maxLength) {
        String storable = text.replace("\0", "");
        return storable.codePointCount(0, storable.length()) <= maxLength
                ? storable
                : storable.substring(0, storable.offsetByCodePoints(0, maxLength));
    }

    /**
     * How long a text is in UTF-8.
     *
     * @param text any text
     * @return its bytes
     * @throws CharacterCodingException if it contains half of a surrogate pair, which UTF-8 cannot carry
     */
    public static int bytesOf(String text) throws CharacterCodingException {
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
