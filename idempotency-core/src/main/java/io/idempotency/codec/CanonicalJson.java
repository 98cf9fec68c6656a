package io.idempotency.codec;

import java.math.BigDecimal;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/** Reads JSON and tells its values to a {@link CanonicalWriter}. */
final class CanonicalJson {

    /** Twice what a mapper writes by default. */
    private static final int MAX_NESTING_DEPTH = 1_000;

    /** What was written here is read back here, so no limit of a parser of foreign input applies. */
    private static final JsonFactory READER = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final JsonParser json;

    private final CanonicalWriter canonical;

    private CanonicalJson(JsonParser json, CanonicalWriter canonical) {
        this.json = json;
        this.canonical = canonical;
    }

    /**
     * The canonical text.
     *
     * @throws tools.jackson.core.JacksonException if the text is not JSON, is nested too deeply, or has an object with
     *     two members of one name
     */
    static String of(String json) {
        CanonicalText text = new CanonicalText(new byte[json.length()]);
        write(json.toCharArray(), json.length(), text);
        return text.from(0);
    }

    /**
     * Writes the canonical text of JSON.
     *
     * @param json begins with it
     * @param length of the JSON
     * @throws tools.jackson.core.JacksonException as {@link #of} does
     */
    static void write(char[] json, int length, CanonicalText text) {
        try (JsonParser parser = READER.createParser(ObjectReadContext.empty(), json, 0, length)) {
            new CanonicalJson(parser, new CanonicalWriter(text)).write();
        }
    }

    /** A loop, because a call for each level would end at a few hundred levels. */
    private void write() {
        JsonToken token = json.nextToken();
        if (token == null) {
            canonical.nothing();
            return;
        }
        while (!canonical.isComplete()) {
            write(token);
            token = json.nextToken();
        }
        if (token != null) {
            throw new StreamReadException(json, "There is something behind the JSON");
        }
    }

    private void write(JsonToken token) {
        switch (token) {
            case START_OBJECT -> canonical.beginObject();
            case START_ARRAY -> canonical.beginArray();
            case PROPERTY_NAME -> canonical.name(json.currentName());
            case END_OBJECT -> canonical.endObject();
            case END_ARRAY -> canonical.endArray();
            case VALUE_STRING -> canonical.string(json.getString());
            case VALUE_NUMBER_INT -> canonical.integer(json.getString());
            case VALUE_NUMBER_FLOAT -> canonical.decimal(decimal());
            case VALUE_NULL -> canonical.nothing();
            default -> canonical.literal(token.asString());
        }
    }

    private BigDecimal decimal() {
        try {
            return json.getDecimalValue();
        } catch (NumberFormatException exponent) {
            throw new StreamReadException(json, "A number is out of range", exponent);
        }
    }
}
