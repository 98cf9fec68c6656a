package io.idempotency;

import java.util.Optional;

/** The rule for scopes, callers, keys and other names: a bounded number of printable characters. Internal. */
public final class PrintableText {

    private PrintableText() {}

    /**
     * Looks for what is wrong with a name.
     *
     * @param text the name
     * @param minLength if more than 0, the name must not be blank
     * @param maxLength in characters, counted as Unicode code points
     * @return what is wrong, as the end of a sentence that begins with what the name stands for
     */
    public static Optional<String> findProblem(String text, int minLength, int maxLength) {
        if (minLength > 0 && isBlank(text)) {
            return Optional.of("is blank");
        }
        int length = text.codePointCount(0, text.length());
        if (length > maxLength) {
            return Optional.of("has " + length + " characters, more than " + maxLength);
        }
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            int character = text.codePointAt(i);
            if (!isPrintable(character)) {
                return Optional.of("contains U+%04X, which is not printable".formatted(character));
            }
        }
        return Optional.empty();
    }

    /** Spaces that do not break a line count as blank too, unlike for {@link String#isBlank()}. */
    private static boolean isBlank(String text) {
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            int character = text.codePointAt(i);
            if (!Character.isWhitespace(character) && !Character.isSpaceChar(character)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
