-- Messages that were handled, deliveries that failed, and how far each stream was followed.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE DOMAIN "${schema}".idempotency_consumer AS text COLLATE "C"
    CONSTRAINT idempotency_consumer_length CHECK (char_length(VALUE) BETWEEN 1 AND 128);
CREATE DOMAIN "${schema}".idempotency_message_id AS text COLLATE "C"
    CONSTRAINT idempotency_message_id_length CHECK (char_length(VALUE) BETWEEN 1 AND 255);
CREATE DOMAIN "${schema}".idempotency_message_type AS text COLLATE "C"
    CONSTRAINT idempotency_message_type_length CHECK (char_length(VALUE) <= 128);
CREATE DOMAIN "${schema}".idempotency_stream_id AS text COLLATE "C"
    CONSTRAINT idempotency_stream_id_length CHECK (char_length(VALUE) BETWEEN 1 AND 255);

CREATE TABLE "${schema}".processed_message (
    consumer        "${schema}".idempotency_consumer      NOT NULL,
    message_id      "${schema}".idempotency_message_id    NOT NULL,
    message_type    "${schema}".idempotency_message_type,
    payload_hash    "${schema}".idempotency_hash,
    hash_version    "${schema}".idempotency_hash_version,
    processed_at    timestamptz                           NOT NULL,
    expires_at      timestamptz                           NOT NULL,
    CONSTRAINT processed_message_pkey PRIMARY KEY (consumer, message_id)
);

CREATE INDEX processed_message_expires_at ON "${schema}".processed_message (expires_at);

COMMENT ON TABLE "${schema}".processed_message IS
    'Messages that a consumer has handled, written in the transaction of their effect';

CREATE TABLE "${schema}".message_failure (
    consumer        "${schema}".idempotency_consumer      NOT NULL,
    message_id      "${schema}".idempotency_message_id    NOT NULL,
    message_type    "${schema}".idempotency_message_type,
    attempt_count   "${schema}".idempotency_attempts      NOT NULL,
    failure_code    text                                  NOT NULL,
    failure_message text                                  NOT NULL,
    first_failed_at timestamptz                           NOT NULL,
    last_failed_at  timestamptz                           NOT NULL,
    expires_at      timestamptz                           NOT NULL,
    CONSTRAINT message_failure_pkey PRIMARY KEY (consumer, message_id)
);

CREATE INDEX message_failure_expires_at ON "${schema}".message_failure (expires_at);

COMMENT ON TABLE "${schema}".message_failure IS
    'Messages whose deliveries have failed and that were not handled since';

CREATE TABLE "${schema}".stream_position (
    consumer        "${schema}".idempotency_consumer      NOT NULL,
    stream_id       "${schema}".idempotency_stream_id     NOT NULL,
    last_version    bigint                                NOT NULL,
    updated_at      timestamptz                           NOT NULL,
    CONSTRAINT stream_position_pkey PRIMARY KEY (consumer, stream_id)
) WITH (fillfactor = 70);

COMMENT ON TABLE "${schema}".stream_position IS
    'The last version of each stream that a consumer has handled; moves forward only';
