package io.idempotency.codec;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Canonical JSON the long way, by a tree: what {@link CanonicalJson} gives must be the same, or what was stored with it would
 * count as another payload.
 */
final class CanonicalTree {

    private static final int MAX_NESTING_DEPTH = 1_000;

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

    private CanonicalTree() {}

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

    private static void writeObject(JsonNode node, StringBuilder out) {
        if (node.size() == 1 && node.has(CanonicalWriter.SET)) {
            writeSet(node.get(CanonicalWriter.SET), out);
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

    private static boolean isLoneSurrogate(String text, int index) {
        char character = text.charAt(index);
        if (Character.isHighSurrogate(character)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        return Character.isLowSurrogate(character)
                && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }
}
