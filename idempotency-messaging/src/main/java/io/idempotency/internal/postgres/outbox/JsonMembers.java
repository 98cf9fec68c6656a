package io.idempotency.internal.postgres.outbox;

import java.util.LinkedHashMap;
import java.util.Map;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * A reader of the members of stored JSON objects. PostgreSQL's functions decode all texts of a value, and fail if one has the
 * character 0, so that a single row would hide all others.
 */
final class JsonMembers {

    private static final JsonMapper MAPPER = new JsonMapper();

    private JsonMembers() {}

    /**
     * Returns each member with its value as text, without those that are null.
     *
     * @throws IllegalArgumentException if the value is no object
     */
    static Map<String, String> textsIn(String json) {
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
    static Map<String, String> valuesIn(String json) {
        Map<String, String> values = new LinkedHashMap<>();
        read(json, (parser, name, start) -> values.put(name, valueAt(json, start, parser)));
        return values;
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
