package io.idempotency.internal.fingerprint;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
     * The name of the only member of an object that represents a set. It is random, so that no member name of a client
     * can equal it. It may differ in each JVM, because no canonical text contains it.
     */
    static final String SET = "set " + UUID.randomUUID();

    /**
     * The prefix of the name of the only member of an object that represents a value whose type counts; the type's name
     * follows.
     */
    static final String TYPE = "type " + UUID.randomUUID() + " ";

    /** Twice the default depth of a mapper. */
    private static final int MAX_NESTING_DEPTH = 1_000;

    /** Without the other limits for foreign input, because this library wrote the JSON. */
    private static final JsonMapper READER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING_DEPTH)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            // Otherwise the first of two members with one name would not count.
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    private ByteArrayOutputStream text = new ByteArrayOutputStream(256);

    private long sortedBytes;

    private CanonicalJson() {}

    /**
     * Returns the canonical text.
     *
     * @throws tools.jackson.core.JacksonException if the text is not JSON, is nested too deeply, or has an object with
     *     two members of one name
     */
    static String of(String json) {
        CanonicalJson canonical = new CanonicalJson();
        canonical.write(read(json), false);
        return canonical.text.toString(StandardCharsets.UTF_8);
    }

    private static JsonNode read(String json) {
        try {
            return READER.readTree(json);
        } catch (NumberFormatException exponent) {
            throw new StreamReadException(null, "A number is out of range", exponent);
        }
    }

    private void write(JsonNode node, boolean isSet) {
        if (node.isObject()) {
            writeObject(node, isSet);
        } else if (node.isArray() && isSet) {
            writeSet(node);
        } else if (node.isArray()) {
            writeArray(node);
        } else if (node.isNumber()) {
            writeNumber(node.decimalValue());
        } else if (node.isString()) {
            writeString(node.stringValue());
        } else {
            append(node.asString("null"));
        }
    }

    private void writeObject(JsonNode object, boolean isSet) {
        List<String> names = new ArrayList<>(object.propertyNames());
        if (!names.isEmpty() && isMark(names.get(0))) {
            writeMarked(object, names, isSet);
            return;
        }
        List<String> sorted = new ArrayList<>(names);
        sorted.sort(null);
        int start = text.size();
        char separator = '{';
        for (String name : sorted) {
            JsonNode member = object.get(name);
            if (!member.isNull()) {
                append(separator);
                writeString(name);
                append(':');
                write(member, false);
                separator = ',';
            }
        }
        close(separator, '{', '}');
        if (!sorted.equals(names)) {
            countSorted(text.size() - start);
        }
    }

    private static boolean isMark(String name) {
        return name.equals(SET) || name.startsWith(TYPE);
    }

    private void writeMarked(JsonNode object, List<String> names, boolean isSet) {
        if (names.size() > 1) {
            throw new StreamWriteException(null, "A marked value has another member");
        }
        String mark = names.get(0);
        if (mark.startsWith(TYPE)) {
            // Unambiguous, because JSON never has a string directly before another value.
            writeString(mark.substring(TYPE.length()));
        }
        // A set whose class counts too has both marks.
        write(object.get(mark), isSet || mark.equals(SET));
    }

    private void writeArray(JsonNode array) {
        char separator = '[';
        for (JsonNode element : array) {
            append(separator);
            write(element, false);
            separator = ',';
        }
        close(separator, '[', ']');
    }

    private void writeSet(JsonNode set) {
        ByteArrayOutputStream outer = text;
        List<String> elements = new ArrayList<>(set.size());
        for (JsonNode element : set) {
            text = new ByteArrayOutputStream();
            write(element, false);
            countSorted(text.size());
            elements.add(text.toString(StandardCharsets.UTF_8));
        }
        text = outer;
        elements.sort(null);
        append('[' + String.join(",", elements) + ']');
    }

    private void close(char separator, char opening, char closing) {
        if (separator == opening) {
            append(opening);
        }
        append(closing);
    }

    private void countSorted(int bytes) {
        sortedBytes += bytes;
        PayloadBounds.checkSorted(sortedBytes);
    }

    /**
     * Writes digits without trailing zeros, and an exponent, because the plain form of 1E+1000000000 would have a
     * billion digits. Strips zeros in the text, because BigDecimal takes minutes to strip the zeros of a very long number.
     */
    private void writeNumber(BigDecimal number) {
        PayloadBounds.check(number);
        if (number.signum() == 0) {
            append('0');
            return;
        }
        String digits = number.unscaledValue().toString();
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        append(digits.substring(0, end));
        long exponent = (long) digits.length() - end - number.scale();
        if (exponent != 0) {
            append("E" + exponent);
        }
    }

    private void writeString(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
        for (int i = 0; i < value.length(); i++) {
            char character = value.charAt(i);
            switch (character) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\b' -> quoted.append("\\b");
                case '\t' -> quoted.append("\\t");
                case '\n' -> quoted.append("\\n");
                case '\f' -> quoted.append("\\f");
                case '\r' -> quoted.append("\\r");
                default -> {
                    // UTF-8 cannot encode lone surrogates and would replace each by the same question mark.
                    if (character < ' ' || isLoneSurrogate(value, i)) {
                        quoted.append("\\u%04x".formatted((int) character));
                    } else {
                        quoted.append(character);
                    }
                }
            }
        }
        append(quoted.append('"').toString());
    }

    private static boolean isLoneSurrogate(String value, int index) {
        char character = value.charAt(index);
        if (Character.isHighSurrogate(character)) {
            return index + 1 == value.length() || !Character.isLowSurrogate(value.charAt(index + 1));
        }
        return Character.isLowSurrogate(character)
                && (index == 0 || !Character.isHighSurrogate(value.charAt(index - 1)));
    }

    private void append(char ascii) {
        text.write(ascii);
    }

    private void append(String part) {
        text.writeBytes(part.getBytes(StandardCharsets.UTF_8));
    }
}
