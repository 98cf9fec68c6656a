package io.idempotency.outbox;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.PrintableText;

/**
 * A message to send. Immutable if its payload is.
 *
 * <p>All names are printable characters, without control or formatting characters.
 */
public final class OutboxMessage {

    /** The longest topic, in characters; Kafka's limit. */
    public static final int MAX_TOPIC_LENGTH = 249;

    /** The longest type, aggregate type and header name, in characters. */
    public static final int MAX_TYPE_LENGTH = 128;

    /** The longest ordering key, aggregate id and deduplication key, in characters. */
    public static final int MAX_KEY_LENGTH = 255;

    /** The longest value of a header, in characters. */
    public static final int MAX_HEADER_LENGTH = 1_024;

    /** The most headers of a message. */
    public static final int MAX_HEADERS = 64;

    /** The beginning of the library's own topics, to which no application publishes. */
    public static final String RESERVED_TOPICS = "idempotency.";

    /** The headers that the library writes itself. */
    static final Set<String> RESERVED_HEADERS = Set.of("message-id", "message-type");

    /** The advice where a payload is missing. */
    private static final String WITHOUT_PAYLOAD =
            "if it is to have none, such as a tombstone in Kafka, call withoutPayload()";

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final String topic;

    private final String type;

    private final @Nullable String orderingKey;

    private final @Nullable String aggregateType;

    private final @Nullable String aggregateId;

    private final @Nullable Object payload;

    private final Map<String, String> headers;

    private final @Nullable Instant notBefore;

    private final @Nullable String deduplicationKey;

    private OutboxMessage(Builder builder) {
        topic = builder.topic;
        type = builder.type;
        orderingKey = builder.orderingKey;
        aggregateType = builder.aggregateType;
        aggregateId = builder.aggregateId;
        payload = builder.payload;
        headers = Map.copyOf(builder.headers);
        notBefore = builder.notBefore;
        deduplicationKey = builder.deduplicationKey;
    }

    /**
     * Begins a message.
     *
     * @param topic topic of the broker or of the handlers, 1 to {@value #MAX_TOPIC_LENGTH} characters
     * @param type type of the message, such as {@code OrderPlaced}, 1 to {@value #MAX_TYPE_LENGTH} characters
     * @return a builder
     * @throws IllegalArgumentException if one of them is blank, too long or not printable, or the topic begins with
     *     {@value #RESERVED_TOPICS}
     */
    public static Builder of(String topic, String type) {
        return new Builder(topic, type);
    }

    /** {@return the topic} */
    public String topic() {
        return topic;
    }

    /** {@return the type} */
    public String type() {
        return type;
    }

    /** {@return the ordering key; {@code null} if no order is kept} */
    public @Nullable String orderingKey() {
        return orderingKey;
    }

    /** {@return the type of the aggregate; {@code null} if it is not set} */
    public @Nullable String aggregateType() {
        return aggregateType;
    }

    /** {@return the id of the aggregate; {@code null} if it is not set} */
    public @Nullable String aggregateId() {
        return aggregateId;
    }

    /** {@return the payload, which is written as JSON; {@code null} if the message has none} */
    public @Nullable Object payload() {
        return payload;
    }

    /** {@return the headers; unmodifiable} */
    public Map<String, String> headers() {
        return headers;
    }

    /** {@return the earliest time of sending; {@code null} for no delay} */
    public @Nullable Instant notBefore() {
        return notBefore;
    }

    /** {@return the deduplication key; {@code null} if the message is not deduplicated} */
    public @Nullable String deduplicationKey() {
        return deduplicationKey;
    }

    /** Identifies the message without its payload, which may be confidential. */
    @Override
    public String toString() {
        return type + " for topic " + topic;
    }

    /** A builder of messages, which checks their parts. */
    public static final class Builder {

        private final String topic;

        private final String type;

        private final Map<String, String> headers = new LinkedHashMap<>();

        private @Nullable String orderingKey;

        private @Nullable String aggregateType;

        private @Nullable String aggregateId;

        private @Nullable Object payload;

        private boolean hasNoPayload;

        private @Nullable Instant notBefore;

        private @Nullable String deduplicationKey;

        private Builder(String topic, String type) {
            this.topic = require("topic", topic, MAX_TOPIC_LENGTH);
            if (topic.startsWith(RESERVED_TOPICS)) {
                throw new IllegalArgumentException("The topic '" + topic + "' of a message begins with '"
                        + RESERVED_TOPICS + "', as the library's own do");
            }
            this.type = require("type", type, MAX_TYPE_LENGTH);
        }

        /**
         * Keeps the order of messages with the same key, in all topics and of all applications of the schema: messages of transactions that do not overlap
         * are sent in the order of their commits. If one fails, the later ones of its key wait until it is sent or
         * dead.
         *
         * @param key ordering key, such as the id of a customer, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters;
         *     also the key of the Kafka record
         * @return this builder
         * @throws IllegalArgumentException if it is blank, too long or not printable
         */
        public Builder orderingKey(String key) {
            this.orderingKey = require("ordering key", key, MAX_KEY_LENGTH);
            return this;
        }

        /**
         * Sets the aggregate that the message is about, for readers of the table.
         *
         * @param kind type of the aggregate, 1 to {@value OutboxMessage#MAX_TYPE_LENGTH} characters
         * @param id id of the aggregate, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters
         * @return this builder
         * @throws IllegalArgumentException if one of them is blank, too long or not printable
         */
        public Builder aggregate(String kind, String id) {
            this.aggregateType = require("aggregate type", kind, MAX_TYPE_LENGTH);
            this.aggregateId = require("aggregate id", id, MAX_KEY_LENGTH);
            return this;
        }

        /**
         * Sets the payload.
         *
         * @param value payload, written as JSON by the library's mapper when the message is published
         * @return this builder
         * @throws IllegalArgumentException if it is {@code null}
         */
        public Builder payload(Object value) {
            if (value == null) {
                throw new IllegalArgumentException("The payload of a message is null: " + WITHOUT_PAYLOAD);
            }
            this.payload = value;
            this.hasNoPayload = false;
            return this;
        }

        /**
         * Publishes the message without a payload. Kafka gets {@code null} as value, which deletes the key from a
         * compacted topic (a tombstone), RabbitMQ an empty body, and a method with {@link OutboxHandler} {@code null}.
         *
         * @return this builder
         */
        public Builder withoutPayload() {
            this.payload = null;
            this.hasNoPayload = true;
            return this;
        }

        /**
         * Adds a header.
         *
         * @param name name of the header, 1 to {@value OutboxMessage#MAX_TYPE_LENGTH} characters; neither
         *     {@code message-id} nor {@code message-type}, which every message has
         * @param value value of the header, 0 to {@value OutboxMessage#MAX_HEADER_LENGTH} characters
         * @return this builder
         * @throws IllegalArgumentException if one of them is malformed, or there are more than
         *     {@value OutboxMessage#MAX_HEADERS}
         */
        public Builder header(String name, String value) {
            require("header name", name, MAX_TYPE_LENGTH);
            if (RESERVED_HEADERS.contains(name)) {
                throw new IllegalArgumentException("The header '" + name + "' of a message is the library's own");
            }
            PrintableText.findProblem(value, 0, MAX_HEADER_LENGTH).ifPresent(problem -> {
                throw new IllegalArgumentException("The header '" + name + "' of a message " + problem);
            });
            headers.put(name, value);
            if (headers.size() > MAX_HEADERS) {
                throw new IllegalArgumentException("A message has at most " + MAX_HEADERS + " headers");
            }
            return this;
        }

        /**
         * Adds headers.
         *
         * @param more names and values as for {@link #header}
         * @return this builder
         * @throws IllegalArgumentException if one of them is malformed, or there are too many
         */
        public Builder headers(Map<String, String> more) {
            more.forEach(this::header);
            return this;
        }

        /**
         * Sends the message not before a time; it may be sent later by {@code idempotency.outbox.poll-interval}. Later
         * messages of its ordering key wait for it.
         *
         * @param time earliest time, by the database's clock; a time in the past means no delay
         * @return this builder
         * @throws IllegalArgumentException if it is after the year 9999
         */
        public Builder notBefore(Instant time) {
            if (time.isAfter(LATEST)) {
                throw new IllegalArgumentException(
                        "A message that is to be sent not before " + time + " would never be sent");
            }
            // Neither OffsetDateTime nor PostgreSQL supports all instants.
            this.notBefore = time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
            return this;
        }

        /**
         * Publishes the message once: until it is purged, a further message with this key is not recorded. Needed only
         * if the method that publishes is not idempotent itself.
         *
         * @param key key that is unique in the topic, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters
         * @return this builder
         * @throws IllegalArgumentException if it is blank, too long or not printable
         */
        public Builder deduplicationKey(String key) {
            this.deduplicationKey = require("deduplication key", key, MAX_KEY_LENGTH);
            return this;
        }

        /**
         * Ends the message.
         *
         * @return the message
         * @throws IllegalStateException if neither {@link #payload} nor {@link #withoutPayload} was called
         */
        public OutboxMessage build() {
            if (payload == null && !hasNoPayload) {
                throw new IllegalStateException(
                        "The message " + type + " for topic " + topic + " has no payload: " + WITHOUT_PAYLOAD);
            }
            return new OutboxMessage(this);
        }

        private static String require(String what, String text, int maxLength) {
            PrintableText.findProblem(text, 1, maxLength).ifPresent(problem -> {
                throw new IllegalArgumentException("The " + what + " of a message " + problem);
            });
            return text;
        }
    }
}
