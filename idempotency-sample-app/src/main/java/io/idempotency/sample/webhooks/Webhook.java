package io.idempotency.sample.webhooks;

import java.time.DateTimeException;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event that its provider did send.
 *
 * @param provider who sent it
 * @param id the same each time that this event is sent, and never that of another event
 * @param type what kind of event it is
 * @param body the bytes that were signed
 * @param content what they say
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Webhook(String provider, String id, String type, byte[] body, JsonNode content) {

    private static final JsonMapper JSON = new JsonMapper();

    /**
     * An event, whose id and type are checked.
     *
     * @throws UnreadableWebhookException if it has no id or no type
     */
    public static Webhook of(
            String provider, @Nullable String id, @Nullable String type, byte[] body, JsonNode content) {
        return new Webhook(provider, requireText("id", id), requireText("type", type), body, content);
    }

    /**
     * Reads a body as JSON.
     *
     * @throws UnreadableWebhookException if it is anything else
     */
    public static JsonNode json(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw new UnreadableWebhookException("The body is not JSON.", e);
        }
    }

    /**
     * A text or number of the content.
     *
     * @param pointer to it, as in RFC 6901
     * @throws UnreadableWebhookException if it is not there
     */
    public String text(String pointer) {
        return requireText(pointer, textOrNull(pointer));
    }

    /**
     * A text or number of the content, if it is there.
     *
     * @throws UnreadableWebhookException if it has control characters, which no provider sends in what is looked at here, no
     *     log should show, and of which PostgreSQL does not store one
     */
    public @Nullable String textOrNull(String pointer) {
        return textOrNull(content, pointer);
    }

    /**
     * A text or number of some content, if it is there.
     *
     * @throws UnreadableWebhookException if it has control characters
     */
    public static @Nullable String textOrNull(JsonNode content, String pointer) {
        JsonNode value = content.at(pointer);
        if (!value.isString() && !value.isNumber()) {
            return null;
        }
        String text = value.asString();
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new UnreadableWebhookException(pointer + " has control characters.", null);
        }
        return text;
    }

    /**
     * A whole number of the content.
     *
     * @param pointer to it, as in RFC 6901
     * @throws UnreadableWebhookException if it is not there
     */
    public long number(String pointer) {
        JsonNode value = content.at(pointer);
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw new UnreadableWebhookException(pointer + " is not a whole number.", null);
        }
        return value.longValue();
    }

    /**
     * A time of the content.
     *
     * @param pointer to it, as in RFC 6901
     * @throws UnreadableWebhookException if it is not there
     */
    public OffsetDateTime time(String pointer) {
        try {
            return OffsetDateTime.parse(text(pointer));
        } catch (DateTimeException e) {
            throw new UnreadableWebhookException(pointer + " is not a time.", e);
        }
    }

    private static String requireText(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new UnreadableWebhookException(name + " is missing.", null);
        }
        return value;
    }
}
