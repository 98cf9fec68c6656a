-- Messages that were handled, deliveries that failed, and how far each stream was followed.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".processed_message (
    consumer        varchar(128) COLLATE "C" NOT NULL,
    message_id      varchar(255) COLLATE "C" NOT NULL,
    message_type    varchar(128) COLLATE "C",
    payload_hash    bytea,
    hash_version    smallint,
    processed_at    timestamptz              NOT NULL,
    expires_at      timestamptz              NOT NULL,
    -- The id first, by which rows differ: the consumer, which most rows share, would be compared at every step of a
    -- search.
    CONSTRAINT processed_message_pkey PRIMARY KEY (message_id, consumer)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

CREATE INDEX processed_message_expires_at ON "${schema}".processed_message (expires_at);

COMMENT ON TABLE "${schema}".processed_message IS
    'Messages that a consumer has handled, written in the transaction of their effect';

CREATE TABLE "${schema}".processed_message_archive (
    LIKE "${schema}".processed_message, archived_at timestamptz NOT NULL);

CREATE TABLE "${schema}".message_failure (
    consumer        varchar(128) COLLATE "C" NOT NULL,
    message_id      varchar(255) COLLATE "C" NOT NULL,
    message_type    varchar(128) COLLATE "C",
    attempt_count   integer                  NOT NULL,
    failure_code    text                     NOT NULL,
    failure_message text                     NOT NULL,
    first_failed_at timestamptz              NOT NULL,
    last_failed_at  timestamptz              NOT NULL,
    expires_at      timestamptz              NOT NULL,
    CONSTRAINT message_failure_pkey PRIMARY KEY (consumer, message_id)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

CREATE INDEX message_failure_expires_at ON "${schema}".message_failure (expires_at);

COMMENT ON TABLE "${schema}".message_failure IS
    'Messages whose deliveries have failed and that were not handled since';

CREATE TABLE "${schema}".message_failure_archive (
    LIKE "${schema}".message_failure, archived_at timestamptz NOT NULL);

CREATE TABLE "${schema}".stream_position (
    consumer        varchar(128) COLLATE "C" NOT NULL,
    stream_id       varchar(255) COLLATE "C" NOT NULL,
    last_version    bigint                   NOT NULL,
    updated_at      timestamptz              NOT NULL,
    CONSTRAINT stream_position_pkey PRIMARY KEY (consumer, stream_id)
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);
COMMENT ON TABLE "${schema}".stream_position IS
    'The last version of each stream that a consumer has handled; moves forward only';
