package io.idempotency.internal.response;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;

/** The rules for text that PostgreSQL and brokers can store. */
public final class StorableText {

    private static final char FIRST_OF_TWO_BYTES = 0x80;

    private static final char FIRST_OF_THREE_BYTES = 0x800;

    private StorableText() {}

    /**
     * Removes the characters that PostgreSQL cannot store, and cuts text that is too long.
     *
     * @return the first characters, without the character 0
     */
    public static String of(String text, int maxLength) {
        String storable = text.replace("\0", "");
        return storable.codePointCount(0, storable.length()) <= maxLength
                ? storable
                : storable.substring(0, storable.offsetByCodePoints(0, maxLength));
    }

    /**
     * Returns the length of a text in UTF-8.
     *
     * @throws CharacterCodingException if it contains a lone surrogate, which UTF-8 cannot encode
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
                // A surrogate pair has four bytes.
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
