package io.idempotency.boot.web;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;

/** The header that carries the key of a request. */
final class KeyHeader {

    /** See <a href="https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods">RFC 9110, Safe Methods</a>. */
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private static final String KEY = KeyHeader.class.getName() + ".key";

    private static final String REFUSAL = KeyHeader.class.getName() + ".refusal";

    private static final String NOT_IN_BARE_TEXT = "\"\\,;";

    private static final char QUOTE = '"';

    private static final char ESCAPE = '\\';

    private static final char LAST_OF_ASCII = 0x7F;

    /** Servers read each byte of a header as a character, so that the character that was sent is not known. */
    private static final char LAST_BYTE = 0xFF;

    private final String name;

    private final boolean strict;

    KeyHeader(String name, boolean strict) {
        this.name = name;
        this.strict = strict;
    }

    static boolean isIgnoredFor(String method) {
        return SAFE_METHODS.contains(method);
    }

    /**
     * Returns the key of a request and stores it for {@link #alreadyRead}; {@code null} if there is none.
     *
     * @throws InvalidIdempotencyKeyException if the header is malformed
     */
    @Nullable IdempotencyKey of(HttpServletRequest request) {
        IdempotencyKey known = alreadyRead(request);
        if (known != null) {
            return known;
        }
        List<String> fields = Collections.list(request.getHeaders(name));
        if (fields.isEmpty()) {
            return null;
        }
        try {
            IdempotencyKey key = keyIn(fields);
            request.setAttribute(KEY, key);
            return key;
        } catch (InvalidIdempotencyKeyException refusal) {
            request.setAttribute(REFUSAL, refusal);
            throw refusal;
        }
    }

    private IdempotencyKey keyIn(List<String> fields) {
        if (fields.size() > 1) {
            throw invalid("was sent " + fields.size() + " times, but only once is allowed");
        }
        return new IdempotencyKey(textOf(trimSpaces(fields.get(0))));
    }

    /** Returns the key that was read from the header before; {@code null} if none was. */
    static @Nullable IdempotencyKey alreadyRead(HttpServletRequest request) {
        return (IdempotencyKey) attributeOf(request, KEY);
    }

    /** Returns {@code null}, too, if the request is over: a thread that has taken over its attributes may outlive it. */
    static @Nullable Object attributeOf(HttpServletRequest request, String attribute) {
        try {
            return request.getAttribute(attribute);
        } catch (IllegalStateException over) {
            return null;
        }
    }

    /** Returns whether a key was refused because of its header. The client may see such a message. */
    static boolean isRefusalOf(HttpServletRequest request, IdempotencyException refusal) {
        return request.getAttribute(REFUSAL) == refusal;
    }

    private String textOf(String field) {
        if (field.isEmpty()) {
            throw invalid("is empty");
        }
        if (field.charAt(0) == QUOTE) {
            return quoted(field);
        }
        if (strict) {
            throw invalid("must be a string in double quotes");
        }
        return bare(field);
    }

    private String quoted(String field) {
        StringBuilder text = new StringBuilder(field.length());
        for (int i = 1; i < field.length(); i++) {
            char character = field.charAt(i);
            if (character == QUOTE) {
                requireEnd(field.substring(i + 1));
                return text.toString();
            }
            if (character == ESCAPE) {
                i++;
                if (i == field.length() || (field.charAt(i) != QUOTE && field.charAt(i) != ESCAPE)) {
                    throw invalid("has a backslash that escapes neither a double quote nor a backslash");
                }
                character = field.charAt(i);
            }
            requirePrintable(character, ' ');
            text.append(character);
        }
        throw invalid("has no closing double quote");
    }

    private void requireEnd(String rest) {
        if (!rest.isEmpty()) {
            throw invalid(rest.stripLeading().startsWith(";") ? "has parameters" : "has more than one value");
        }
    }

    private String bare(String field) {
        for (int i = 0; i < field.length(); i++) {
            char character = field.charAt(i);
            requirePrintable(character, '!');
            if (NOT_IN_BARE_TEXT.indexOf(character) >= 0) {
                throw invalid("contains '" + character + "', which is allowed only inside of double quotes");
            }
        }
        return field;
    }

    private void requirePrintable(char character, char first) {
        if (character > LAST_OF_ASCII) {
            throw invalid("contains a character that is not visible ASCII ("
                    + String.format(Locale.ROOT, character > LAST_BYTE ? "U+%04X)" : "byte 0x%02X)", (int) character));
        }
        if (character < first || character > '~') {
            throw invalid(String.format(Locale.ROOT, "contains U+%04X, which is not allowed there", (int) character));
        }
    }

    private static String trimSpaces(String field) {
        int start = 0;
        int end = field.length();
        while (start < end && field.charAt(start) == ' ') {
            start++;
        }
        while (end > start && field.charAt(end - 1) == ' ') {
            end--;
        }
        return field.substring(start, end);
    }

    MissingIdempotencyKeyException missing() {
        return new MissingIdempotencyKeyException(
                "The header " + name
                        + " is missing: send a value of this one intent alone, such as a UUID, and the same one with each repeat");
    }

    private InvalidIdempotencyKeyException invalid(String problem) {
        return new InvalidIdempotencyKeyException("The header " + name + " " + problem);
    }
}
