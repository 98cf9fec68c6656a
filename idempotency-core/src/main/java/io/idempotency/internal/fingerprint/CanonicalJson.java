package io.idempotency.internal.fingerprint;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.json.JsonFactory;

/**
 * A writer that gives equal text for all equivalent JSON: members are sorted by UTF-16 code units and strings escaped
 * as in RFC 8785, null members are left out, and numbers are exact decimals without trailing zeros.
 *
 * <p>Numbers differ from RFC 8785, which treats them as doubles: 9007199254740993 and 9007199254740992 would be equal.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8785">RFC 8785: JSON Canonicalization Scheme</a>
 */
final class CanonicalJson {

    /**
     * The prefix of the name of the only member of an object that represents a value whose type counts; the type's name
     * follows. It is random, so that no member name of a client can equal it.
     */
    static final String TYPE = "type " + UUID.randomUUID() + " ";

    /** Twice the default depth of a mapper. */
    private static final int MAX_NESTING_DEPTH = 1_000;

    /** Without the other limits for foreign input, because this library wrote the JSON. */
    private static final JsonFactory READER = JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final JsonParser json;

    private final StringBuilder text = new StringBuilder(256);

    private long sortedCharacters;

    private CanonicalJson(JsonParser json) {
        this.json = json;
    }

    /**
     * Returns the canonical text.
     *
     * @throws tools.jackson.core.JacksonException if the text is not JSON, is nested too deeply, or has an object with
     *     two members of one name
     */
    static String of(String json) {
        try (JsonParser parser = READER.createParser(ObjectReadContext.empty(), json)) {
            return new CanonicalJson(parser).write();
        } catch (NumberFormatException exponent) {
            throw new StreamReadException(null, "A number is out of range", exponent);
        }
    }

    private String write() {
        if (json.nextToken() == null) {
            return "null";
        }
        write(false);
        if (json.nextToken() != null) {
            throw new StreamReadException(json, "Another value follows");
        }
        return text.toString();
    }

    /** Writes the value at which the parser is, and leaves the parser at its end. */
    private void write(boolean isSet) {
        switch (json.currentToken()) {
            case START_OBJECT -> writeObject(isSet);
            case START_ARRAY -> {
                if (isSet) {
                    writeSet();
                } else {
                    writeArray();
                }
            }
            case VALUE_NUMBER_INT -> writeInteger(json.getString());
            case VALUE_NUMBER_FLOAT -> writeDecimal(json.getDecimalValue());
            case VALUE_STRING -> writeString(json.getString());
            default -> text.append(json.getString());
        }
    }

    private void writeObject(boolean isSet) {
        String name = json.nextName();
        if (name != null && isMark(name)) {
            writeMarked(name, isSet);
            return;
        }
        int start = text.length();
        NavigableMap<String, Member> members = new TreeMap<>();
        boolean isSorted = true;
        char separator = '{';
        for (; name != null; name = json.nextName()) {
            isSorted &= members.isEmpty() || members.lastKey().compareTo(name) < 0;
            Member member = Member.ABSENT;
            if (json.nextToken() != JsonToken.VALUE_NULL) {
                text.append(separator);
                separator = ',';
                member = writeMember(name);
            }
            if (members.put(name, member) != null) {
                throw new StreamReadException(json, "An object has two members of one name");
            }
        }
        if (!isSorted) {
            sort(start, members.values());
        }
        close(start, '{', '}');
    }

    private Member writeMember(String name) {
        int start = text.length();
        writeString(name);
        text.append(':');
        write(false);
        return new Member(start, text.length());
    }

    private void sort(int start, Collection<Member> members) {
        String unsorted = text.substring(start);
        countSorted(unsorted);
        text.setLength(start);
        char separator = '{';
        for (Member member : members) {
            if (!member.isAbsent()) {
                text.append(separator).append(unsorted, member.start - start, member.end - start);
                separator = ',';
            }
        }
    }

    private static boolean isMark(String name) {
        return name.equals(MarkedSets.NAME) || name.startsWith(TYPE);
    }

    private void writeMarked(String mark, boolean isSet) {
        if (mark.startsWith(TYPE)) {
            // Unambiguous, because JSON never has a string directly before another value.
            writeString(mark.substring(TYPE.length()));
        }
        json.nextToken();
        // A set whose class counts too has both marks.
        write(isSet || mark.equals(MarkedSets.NAME));
        if (json.nextName() != null) {
            throw new StreamWriteException(null, "A marked value has another member");
        }
    }

    private void writeArray() {
        int start = text.length();
        char separator = '[';
        while (json.nextToken() != JsonToken.END_ARRAY) {
            text.append(separator);
            write(false);
            separator = ',';
        }
        close(start, '[', ']');
    }

    private void writeSet() {
        int start = text.length();
        List<String> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            write(false);
            String element = text.substring(start);
            countSorted(element);
            elements.add(element);
            text.setLength(start);
        }
        elements.sort(null);
        text.append('[').append(String.join(",", elements)).append(']');
    }

    /** Ends an object or an array, of which nothing is written yet if it is empty. */
    private void close(int start, char opening, char closing) {
        if (text.length() == start) {
            text.append(opening);
        }
        text.append(closing);
    }

    private void countSorted(String copied) {
        sortedCharacters += copied.length();
        PayloadBounds.checkSorted(sortedCharacters);
    }

    private void writeInteger(String number) {
        PayloadBounds.checkDigits(number);
        writeDigits(number, 0);
    }

    private void writeDecimal(BigDecimal number) {
        PayloadBounds.check(number);
        writeDigits(number.unscaledValue().toString(), -(long) number.scale());
    }

    /**
     * Writes digits without trailing zeros, and an exponent, because the plain form of 1E+1000000000 would have a
     * billion digits. Strips zeros in the text, because BigDecimal takes minutes to strip the zeros of a very long number.
     */
    private void writeDigits(String digits, long scale) {
        int end = digits.length();
        while (end > 0 && digits.charAt(end - 1) == '0') {
            end--;
        }
        if (end == 0 || digits.charAt(end - 1) == '-') {
            text.append('0');
            return;
        }
        text.append(digits, 0, end);
        long exponent = digits.length() - end + scale;
        if (exponent != 0) {
            text.append('E').append(exponent);
        }
    }

    private void writeString(String value) {
        text.append('"');
        int written = 0;
        for (int i = 0; i < value.length(); i++) {
            String escape = escapeOf(value, i);
            if (escape != null) {
                text.append(value, written, i).append(escape);
                written = i + 1;
            }
        }
        text.append(value, written, value.length()).append('"');
    }

    /** Returns null if the character is written as it is. */
    private static @Nullable String escapeOf(String value, int index) {
        char character = value.charAt(index);
        if (character >= ' ' && character < Character.MIN_SURROGATE && character != '"' && character != '\\') {
            return null;
        }
        return switch (character) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\t' -> "\\t";
            case '\n' -> "\\n";
            case '\f' -> "\\f";
            case '\r' -> "\\r";
            // UTF-8 cannot encode lone surrogates and would replace each by the same question mark.
            default ->
                character < ' ' || isLoneSurrogate(value, index)
                        ? String.format(Locale.ROOT, "\\u%04x", (int) character)
                        : null;
        };
    }

    private static boolean isLoneSurrogate(String value, int index) {
        char character = value.charAt(index);
        if (Character.isHighSurrogate(character)) {
            return index + 1 == value.length() || !Character.isLowSurrogate(value.charAt(index + 1));
        }
        return Character.isLowSurrogate(character)
                && (index == 0 || !Character.isHighSurrogate(value.charAt(index - 1)));
    }

    /** A member of an object in the text, from its name to the end of its value. */
    private record Member(int start, int end) {

        /** A member that is null. */
        static final Member ABSENT = new Member(0, 0);

        boolean isAbsent() {
            return start == end;
        }
    }
}
