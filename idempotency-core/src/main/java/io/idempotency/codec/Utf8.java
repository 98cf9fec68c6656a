package io.idempotency.codec;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Text as PostgreSQL and brokers carry it. Internal. */
public final class Utf8 {

    private Utf8() {}

    /**
     * How long a text is.
     *
     * @param text any text
     * @return its bytes
     * @throws CharacterCodingException if it contains half of a surrogate pair, which UTF-8 cannot carry
     */
    public static int lengthOf(String text) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
    }
}
