package io.idempotency.internal.postgres.outbox;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A reader of stored JSON. PostgreSQL's functions decode all texts of a value, and fail if one has the character 0, so that a single
 * row would hide all others.
 */
final class StoredJson {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private StoredJson() {}

    /**
     * Returns each member with its value as text, without those that are null.
     *
     * @throws IllegalArgumentException if the value is no object
     */
    static Map<String, String> textsOf(String json) {
        Map<String, String> texts = new LinkedHashMap<>();
        read(json, (parser, name, start) -> {
            if (parser.currentToken() != JsonToken.VALUE_NULL) {
                texts.put(
                        name,
                        parser.currentToken().isScalarValue() ? parser.getString() : valueAt(json, start, parser));
            }
        });
        return texts;
    }

    /**
     * Returns each member with the JSON of its value as it is written. Of members with one name the last one counts.
     *
     * @throws IllegalArgumentException if the value is no object
     */
    static Map<String, String> valuesOf(String json) {
        Map<String, String> values = new LinkedHashMap<>();
        read(json, (parser, name, start) -> values.put(name, valueAt(json, start, parser)));
        return values;
    }

    /** Returns whether two values are the same, whatever their white space, the order of their members and the form of their numbers. */
    static boolean areSame(@Nullable String first, @Nullable String second) {
        if (first == null || second == null || first.equals(second)) {
            return Objects.equals(first, second);
        }
        try {
            return MAPPER.readTree(first).equals(StoredJson::compare, MAPPER.readTree(second));
        } catch (JacksonException beyondItsLimits) {
            return false;
        }
    }

    private static int compare(JsonNode first, JsonNode second) {
        if (first.isNumber() && second.isNumber()) {
            return first.decimalValue().compareTo(second.decimalValue());
        }
        return first.equals(second) ? 0 : 1;
    }

    private static void read(String json, MemberReader reader) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("they are not a JSON object");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                reader.read(parser, name, (int) parser.currentTokenLocation().getCharOffset());
            }
        } catch (JacksonException beyondItsLimits) {
            throw new IllegalArgumentException(
                    "Jackson refuses them (" + beyondItsLimits.getClass().getSimpleName() + ")", beyondItsLimits);
        }
    }

    private static String valueAt(String json, int start, JsonParser parser) {
        parser.skipChildren();
        parser.finishToken();
        return json.substring(start, (int) parser.currentLocation().getCharOffset());
    }

    private interface MemberReader {

        void read(JsonParser parser, String name, int start);
    }
}
