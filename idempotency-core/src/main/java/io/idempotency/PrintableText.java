package io.idempotency;

import java.util.Locale;
import java.util.Optional;

/** The rule for scopes, callers, keys and other names: a bounded number of printable characters. Internal. */
public final class PrintableText {

    /**
     * The first and the last code point of each range, in order: the Unicode categories Cc, Cf, Cs, Co, Zl and Zp, and
     * noncharacters. The ranges are fixed, because JVMs support different versions of Unicode, and every JVM must be
     * able to read a name that another JVM or an SQL function has stored. The SQL functions use the same ranges.
     */
    private static final int[] UNPRINTABLE = {
        0x0, 0x1F, 0x7F, 0x9F, 0xAD, 0xAD, 0x600, 0x605, 0x61C, 0x61C, 0x6DD, 0x6DD, 0x70F, 0x70F, 0x890, 0x891, 0x8E2,
        0x8E2, 0x180E, 0x180E, 0x200B, 0x200F, 0x2028, 0x202E, 0x2060, 0x206F, 0xD800, 0xF8FF, 0xFDD0, 0xFDEF, 0xFEFF,
        0xFEFF, 0xFFF0, 0xFFFB, 0xFFFE, 0xFFFF, 0x110BD, 0x110BD, 0x110CD, 0x110CD, 0x13430, 0x1343F, 0x1BCA0, 0x1BCA3,
        0x1D173, 0x1D17A, 0xE0000, 0xE00FF, 0xF0000, 0x10FFFF
    };

    private PrintableText() {}

    /**
     * Finds the problem of a name.
     *
     * @param text the name
     * @param minLength if more than 0, the name must not be blank
     * @param maxLength in characters, counted as Unicode code points
     * @return the problem, as the end of a sentence that begins with the kind of name; empty if there is none
     */
    public static Optional<String> findProblem(String text, int minLength, int maxLength) {
        if (minLength > 0 && isBlank(text)) {
            return Optional.of("is blank");
        }
        int length = text.codePointCount(0, text.length());
        if (length > maxLength) {
            return Optional.of("has " + length + " characters, more than " + maxLength);
        }
        int character;
        for (int i = 0; i < text.length(); i += Character.charCount(character)) {
            character = text.codePointAt(i);
            if (!isPrintable(character)) {
                return Optional.of(String.format(Locale.ROOT, "contains U+%04X, which is not printable", character));
            }
        }
        return Optional.empty();
    }

    /** Counts no-break spaces as blank too, unlike {@link String#isBlank()}. */
    private static boolean isBlank(String text) {
        int character;
        for (int i = 0; i < text.length(); i += Character.charCount(character)) {
            character = text.codePointAt(i);
            if (!Character.isWhitespace(character) && !Character.isSpaceChar(character)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPrintable(int character) {
        if (character >= ' ' && character < 0x7F) {
            return true;
        }
        for (int i = 0; i < UNPRINTABLE.length; i += 2) {
            if (character <= UNPRINTABLE[i + 1]) {
                return character < UNPRINTABLE[i];
            }
        }
        return true;
    }
}
