package io.idempotency.codec;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One text for all JSON texts that mean the same: members sorted by UTF-16 code units and strings escaped as in RFC
 * 8785, members that are null left out, numbers as exact decimals without trailing zeros.
 *
 * <p>Numbers depart from RFC 8785, which takes them for doubles: 9007199254740993 and 9007199254740992 would be equal.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8785">RFC 8785: JSON Canonicalization Scheme</a>
 */
final class CanonicalJson {

    /** Twice what a mapper writes by default, and far from the end of a stack of ordinary size. */
    private static final int MAX_NESTING_DEPTH = 1_000;

    /**
     * The only member of an object that stands for a set. It is in no canonical text, so it may be another in each JVM, and
     * no member that a client names can be taken for it.
     */
    static final String SET = "set " + UUID.randomUUID();

    /**
     * What was written here is read back here, so no limit of a parser of foreign input applies. Of two members with one
     * name the first would be lost, and with it what tells two payloads apart: they are refused.
     */
    private static final JsonMapper READER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING_DEPTH)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    private CanonicalJson() {}

    /**
     * The canonical text.
     *
     * @throws tools.jackson.core.JacksonException if the text is not JSON, is nested too deeply, or has an object with
     *     two members of one name
     */
    static String of(String json) {
        StringBuilder canonical = new StringBuilder(json.length());
        write(READER.readTree(json), canonical);
        return canonical.toString();
    }

    private static void write(JsonNode node, StringBuilder out) {
        if (node.isObject()) {
            writeObject(node, out);
        } else if (node.isArray()) {
            writeArray(node, out);
        } else if (node.isNumber()) {
            writeNumber(node.decimalValue(), out);
        } else if (node.isString()) {
            writeString(node.stringValue(), out);
        } else {
            out.append(node.asString("null"));
        }
    }

    /** A loop and not a stream, whose many frames for each level would end at a few hundred levels. */
    private static void writeObject(JsonNode node, StringBuilder out) {
        if (node.size() == 1 && node.has(SET)) {
            writeSet(node.get(SET), out);
            return;
        }
        List<Map.Entry<String, JsonNode>> members = new ArrayList<>(node.properties());
        members.removeIf(member -> member.getValue().isNull());
        members.sort(Map.Entry.comparingByKey());
        out.append('{');
        for (int i = 0; i < members.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            writeString(members.get(i).getKey(), out);
            out.append(':');
            write(members.get(i).getValue(), out);
        }
        out.append('}');
    }

    /** The elements of a set have no order, whatever order they came in. A mapper can write a single one without a list. */
    private static void writeSet(JsonNode node, StringBuilder out) {
        if (!node.isArray()) {
            write(node, out);
            return;
        }
        List<String> elements = new ArrayList<>();
        for (JsonNode element : node) {
            StringBuilder canonical = new StringBuilder();
            write(element, canonical);
            elements.add(canonical.toString());
        }
        elements.sort(null);
        out.append('[').append(String.join(",", elements)).append(']');
    }

    private static void writeArray(JsonNode node, StringBuilder out) {
        out.append('[');
        for (int i = 0; i < node.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            write(node.get(i), out);
        }
        out.append(']');
    }

    /**
     * Digits without trailing zeros, and an exponent: the plain form of 1E+1000000000 would have a billion digits. As text,
     * because BigDecimal takes minutes to strip the zeros of very long numbers.
     */
    private static void writeNumber(BigDecimal number, StringBuilder out) {
        String digits = number.unscaledValue().toString();
        int end = digits.length();
        while (end > 1 && digits.charAt(end - 1) == '0') {
            end--;
        }
        if (number.signum() == 0) {
            out.append('0');
            return;
        }
        out.append(digits, 0, end);
        long exponent = (long) digits.length() - end - number.scale();
        if (exponent != 0) {
            out.append('E').append(exponent);
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (character < ' ' || isLoneSurrogate(text, i)) {
                        out.append("\\u%04x".formatted((int) character));
                    } else {
                        out.append(character);
                    }
                }
            }
        }
        out.append('"');
    }

    /** UTF-8 cannot carry these, and would make all of them the same question mark. */
    private static boolean isLoneSurrogate(String text, int index) {
        char character = text.charAt(index);
        if (Character.isHighSurrogate(character)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        return Character.isLowSurrogate(character)
                && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }
}
