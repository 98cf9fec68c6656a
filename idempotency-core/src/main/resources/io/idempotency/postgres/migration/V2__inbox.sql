-- Messages that were handled, deliveries that failed, and how far each stream was followed.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".processed_message (
    consumer     text        NOT NULL,
    message_id   text        NOT NULL,
    message_type text,
    payload_hash bytea,
    hash_version smallint,
    processed_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT processed_message_pkey PRIMARY KEY (consumer, message_id),
    CONSTRAINT processed_message_consumer_length CHECK (char_length(consumer) BETWEEN 1 AND 128),
    CONSTRAINT processed_message_id_length CHECK (char_length(message_id) BETWEEN 1 AND 255),
    CONSTRAINT processed_message_type_length CHECK (char_length(message_type) <= 128),
    CONSTRAINT processed_message_hash_with_version CHECK ((payload_hash IS NULL) = (hash_version IS NULL))
);

CREATE INDEX processed_message_expires_at ON "${schema}".processed_message (expires_at);

COMMENT ON TABLE "${schema}".processed_message IS
    'Messages that a consumer has handled, written in the transaction of their effect';

CREATE TABLE "${schema}".message_failure (
    consumer        text        NOT NULL,
    message_id      text        NOT NULL,
    message_type    text,
    attempt_count   integer     NOT NULL,
    failure_code    text        NOT NULL,
    failure_message text        NOT NULL,
    first_failed_at timestamptz NOT NULL,
    last_failed_at  timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    CONSTRAINT message_failure_pkey PRIMARY KEY (consumer, message_id),
    CONSTRAINT message_failure_attempts CHECK (attempt_count > 0)
);

CREATE INDEX message_failure_expires_at ON "${schema}".message_failure (expires_at);

COMMENT ON TABLE "${schema}".message_failure IS
    'Messages whose deliveries have failed and that were not handled since';

CREATE TABLE "${schema}".stream_position (
    consumer     text        NOT NULL,
    stream_id    text        NOT NULL,
    last_version bigint      NOT NULL,
    updated_at   timestamptz NOT NULL,
    CONSTRAINT stream_position_pkey PRIMARY KEY (consumer, stream_id),
    CONSTRAINT stream_position_consumer_length CHECK (char_length(consumer) BETWEEN 1 AND 128),
    CONSTRAINT stream_position_stream_length CHECK (char_length(stream_id) BETWEEN 1 AND 255)
) WITH (fillfactor = 70);

COMMENT ON TABLE "${schema}".stream_position IS
    'The last version of each stream that a consumer has handled; moves forward only';
