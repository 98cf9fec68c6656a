package io.idempotency.codec;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** Canonical JSON that is being written, in UTF-8. Knows how strings and numbers are written, and nothing of their order. */
final class CanonicalText {

    private static final int HEX_DIGITS = 4;

    private static final int HEX_DIGIT_BITS = 4;

    private static final int HEX = 16;

    private byte[] bytes;

    private int length;

    private long sortedBytes;

    /** Of no text so far; written into the buffer while that suffices. */
    CanonicalText(byte[] buffer) {
        this.bytes = buffer;
    }

    int length() {
        return length;
    }

    String from(int start) {
        countSorted(length - start);
        return new String(bytes, start, length - start, StandardCharsets.UTF_8);
    }

    void update(MessageDigest digest) {
        digest.update(bytes, 0, length);
    }

    /** Takes the end off again. */
    void cutTo(int newLength) {
        length = newLength;
    }

    /**
     * Takes the end off again, and keeps it behind.
     *
     * @return where it begins now
     */
    int putAside(int newLength) {
        int size = length - newLength;
        countSorted(size);
        ensureRoomFor(size);
        System.arraycopy(bytes, newLength, bytes, length, size);
        int aside = length;
        length = newLength;
        return aside;
    }

    private void countSorted(int bytes) {
        sortedBytes += bytes;
        PayloadBounds.checkSorted(sortedBytes);
    }

    /** Appends a part of what was put aside; all parts together are no more than that was. */
    void takeBack(int start, int size) {
        System.arraycopy(bytes, start, bytes, length, size);
        length += size;
    }

    /** In the place of the last comma, if anything is there. */
    void close(int start, char bracket) {
        if (length > start) {
            length--;
        }
        ascii(bracket);
    }

    void ascii(char character) {
        ensureRoomFor(1);
        bytes[length++] = (byte) character;
    }

    void ascii(String characters) {
        for (int i = 0; i < characters.length(); i++) {
            ascii(characters.charAt(i));
        }
    }

    void utf8(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        ensureRoomFor(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
    }

    /** Digits as JSON has them. The same as for a decimal, without making one. */
    void integer(String digits) {
        int significant = digits.length();
        while (significant > 0 && digits.charAt(significant - 1) == '0') {
            significant--;
        }
        if (significant == 0 || digits.charAt(significant - 1) == '-') {
            ascii('0');
            return;
        }
        PayloadBounds.checkDigits(significant);
        for (int i = 0; i < significant; i++) {
            ascii(digits.charAt(i));
        }
        exponent(digits.length() - significant);
    }

    /**
     * Digits without trailing zeros, and an exponent: the plain form of 1E+1000000000 would have a billion digits. As text,
     * because BigDecimal takes minutes to strip the zeros of very long numbers.
     */
    void decimal(BigDecimal number) {
        PayloadBounds.check(number);
        if (number.signum() == 0) {
            ascii('0');
            return;
        }
        String digits = number.unscaledValue().toString();
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        for (int i = 0; i < end; i++) {
            ascii(digits.charAt(i));
        }
        exponent((long) digits.length() - end - number.scale());
    }

    private void exponent(long exponent) {
        if (exponent != 0) {
            ascii('E');
            ascii(Long.toString(exponent));
        }
    }

    void string(String characters) {
        int end = characters.length();
        ascii('"');
        for (int i = 0; i < end; i++) {
            char character = characters.charAt(i);
            switch (character) {
                case '"' -> ascii("\\\"");
                case '\\' -> ascii("\\\\");
                case '\b' -> ascii("\\b");
                case '\t' -> ascii("\\t");
                case '\n' -> ascii("\\n");
                case '\f' -> ascii("\\f");
                case '\r' -> ascii("\\r");
                default -> {
                    if (character < ' ') {
                        escaped(character);
                    } else if (!Character.isSurrogate(character)) {
                        codePoint(character);
                    } else if (i + 1 < end && Character.isSurrogatePair(character, characters.charAt(i + 1))) {
                        codePoint(Character.toCodePoint(character, characters.charAt(++i)));
                    } else {
                        // UTF-8 cannot carry half of a pair, and would make all of them the same question mark.
                        escaped(character);
                    }
                }
            }
        }
        ascii('"');
    }

    private void codePoint(int codePoint) {
        ensureRoomFor(Utf8.MAX_BYTES);
        length = Utf8.encode(codePoint, bytes, length);
    }

    private void escaped(char character) {
        ascii("\\u");
        for (int digit = HEX_DIGITS - 1; digit >= 0; digit--) {
            ascii(Character.forDigit((character >> (digit * HEX_DIGIT_BITS)) & (HEX - 1), HEX));
        }
    }

    private void ensureRoomFor(int size) {
        if (length + size > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length + size);
        }
    }
}
