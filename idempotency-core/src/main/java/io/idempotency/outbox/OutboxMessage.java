package io.idempotency.outbox;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.PrintableText;

/**
 * What is to be sent. Immutable, but for a payload that is not.
 *
 * <p>All names are printable characters, without control or formatting characters.
 */
public final class OutboxMessage {

    /** The longest topic, in characters; Kafka allows no longer one. */
    public static final int MAX_TOPIC_LENGTH = 249;

    /** The longest type, aggregate type and header name, in characters. */
    public static final int MAX_TYPE_LENGTH = 128;

    /** The longest ordering key, aggregate id and deduplication key, in characters. */
    public static final int MAX_KEY_LENGTH = 255;

    /** The longest value of a header, in characters. */
    public static final int MAX_HEADER_LENGTH = 1_024;

    /** How many headers a message has at most. */
    public static final int MAX_HEADERS = 64;

    /** Headers that the library writes itself. */
    static final Set<String> RESERVED_HEADERS = Set.of("message-id", "message-type");

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
     * @param topic where it goes, 1 to {@value #MAX_TOPIC_LENGTH} characters: a topic of the broker, or what handlers are
     *     registered for
     * @param type what it tells, such as {@code OrderPlaced}, 1 to {@value #MAX_TYPE_LENGTH} characters
     * @return a builder
     * @throws IllegalArgumentException if one of them is blank, too long or not printable
     */
    public static Builder of(String topic, String type) {
        return new Builder(topic, type);
    }

    /**
     * Where it goes.
     *
     * @return the topic
     */
    public String topic() {
        return topic;
    }

    /**
     * What it tells.
     *
     * @return the type
     */
    public String type() {
        return type;
    }

    /**
     * What its order is kept for.
     *
     * @return the key; {@code null} if no order is kept
     */
    public @Nullable String orderingKey() {
        return orderingKey;
    }

    /**
     * The kind of thing that it is about.
     *
     * @return the type of the aggregate; {@code null} if not told
     */
    public @Nullable String aggregateType() {
        return aggregateType;
    }

    /**
     * The thing that it is about.
     *
     * @return the id of the aggregate; {@code null} if not told
     */
    public @Nullable String aggregateId() {
        return aggregateId;
    }

    /**
     * What it says.
     *
     * @return the object that is written as JSON
     */
    public @Nullable Object payload() {
        return payload;
    }

    /**
     * What else goes with it.
     *
     * @return the headers; unmodifiable
     */
    public Map<String, String> headers() {
        return headers;
    }

    /**
     * When it may be sent.
     *
     * @return the time; {@code null} for at once
     */
    public @Nullable Instant notBefore() {
        return notBefore;
    }

    /**
     * What it is published once for.
     *
     * @return the key; {@code null} if it is not deduplicated
     */
    public @Nullable String deduplicationKey() {
        return deduplicationKey;
    }

    /** Tells which message it is; not the payload, which need not be meant for logs. */
    @Override
    public String toString() {
        return type + " for topic " + topic;
    }

    /** Takes what a message consists of, and checks it. */
    public static final class Builder {

        private final String topic;

        private final String type;

        private final Map<String, String> headers = new LinkedHashMap<>();

        private @Nullable String orderingKey;

        private @Nullable String aggregateType;

        private @Nullable String aggregateId;

        private @Nullable Object payload;

        private @Nullable Instant notBefore;

        private @Nullable String deduplicationKey;

        private Builder(String topic, String type) {
            this.topic = require("topic", topic, MAX_TOPIC_LENGTH);
            this.type = require("type", type, MAX_TYPE_LENGTH);
        }

        /**
         * Keeps the order of messages with the same key, whatever their topics: of transactions that do not overlap, the
         * messages are sent in the order of their commits. One that fails holds the later ones of its key back, until it is
         * sent or dead.
         *
         * @param key such as the id of a customer, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters; also the key of
         *     the Kafka record
         * @return this builder
         * @throws IllegalArgumentException if it is blank, too long or not printable
         */
        public Builder orderingKey(String key) {
            this.orderingKey = require("ordering key", key, MAX_KEY_LENGTH);
            return this;
        }

        /**
         * Tells what the message is about, for readers of the table.
         *
         * @param kind of thing, 1 to {@value OutboxMessage#MAX_TYPE_LENGTH} characters
         * @param id of the thing, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters
         * @return this builder
         * @throws IllegalArgumentException if one of them is blank, too long or not printable
         */
        public Builder aggregate(String kind, String id) {
            this.aggregateType = require("aggregate type", kind, MAX_TYPE_LENGTH);
            this.aggregateId = require("aggregate id", id, MAX_KEY_LENGTH);
            return this;
        }

        /**
         * What the message says.
         *
         * @param value written as JSON by the application's own mapper when the message is published; {@code null} as JSON
         *     {@code null}
         * @return this builder
         */
        public Builder payload(@Nullable Object value) {
            this.payload = value;
            return this;
        }

        /**
         * Adds a header.
         *
         * @param name 1 to {@value OutboxMessage#MAX_TYPE_LENGTH} characters; neither {@code message-id} nor
         *     {@code message-type}, which every message has
         * @param value 0 to {@value OutboxMessage#MAX_HEADER_LENGTH} characters
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
         * Sends the message later; it may be later by {@code idempotency.outbox.poll-interval}. Later messages of its
         * ordering key wait for it.
         *
         * @param time the earliest time, by the clock of the database; one in the past is at once
         * @return this builder
         * @throws IllegalArgumentException if it is after the year 9999
         */
        public Builder notBefore(Instant time) {
            if (time.isAfter(LATEST)) {
                throw new IllegalArgumentException(
                        "A message that is to be sent not before " + time + " would never be");
            }
            // Neither OffsetDateTime nor PostgreSQL has all instants.
            this.notBefore = time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
            return this;
        }

        /**
         * Publishes the message once, however often it is asked for: until it is purged, a further message with this key is
         * not recorded. Needed only where the method is not idempotent itself.
         *
         * @param key unique among the messages of the topic, 1 to {@value OutboxMessage#MAX_KEY_LENGTH} characters
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
         */
        public OutboxMessage build() {
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
