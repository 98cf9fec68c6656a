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

-- It is empty as long as there are no partitions. The key of the open partition holds its own messages. What stores
-- messages asks it in both cases, so that partitions can be added while it runs.
CREATE VIEW "${schema}".processed_message_earlier AS
    SELECT ''::varchar(128) COLLATE "C" AS consumer, ''::varchar(255) COLLATE "C" AS message_id
    WHERE false;
COMMENT ON VIEW "${schema}".processed_message_earlier IS
    'Messages in the closed partitions of processed_message';

-- Stores a batch of messages and returns the ids of those that are repeats. If all are new, as nearly always, none is
-- searched for before it is written, as ON CONFLICT would do. Otherwise the first INSERT is rolled back, with its
-- locks, and repeated with ON CONFLICT: an error that stays within the function, which the server does not log. The
-- ids are sorted, because two batches that take the same ids in different orders would deadlock, and like the index,
-- so that neighbours are written one after the other. Both statements have to search in the same way. There is no SET
-- clause, because it would also hold for the triggers of others.
CREATE FUNCTION "${schema}".processed_message_store(receiver text, message_ids text[], retention interval)
    RETURNS SETOF text
    LANGUAGE plpgsql AS $$
DECLARE
    stored_count bigint;
BEGIN
    INSERT INTO "${schema}".processed_message (consumer, message_id, processed_at, expires_at)
    SELECT receiver, delivered.id, clock_timestamp(), clock_timestamp() + retention
    FROM pg_catalog.unnest(message_ids) AS delivered (id)
    WHERE (
        SELECT true
        FROM "${schema}".processed_message_earlier AS earlier
        WHERE (earlier.consumer, earlier.message_id) OPERATOR(pg_catalog.=) (receiver, delivered.id)
        LIMIT 1) IS NULL
    ORDER BY delivered.id COLLATE "C";
    GET DIAGNOSTICS stored_count = ROW_COUNT;
    IF stored_count < pg_catalog.cardinality(message_ids) THEN
        RAISE unique_violation;
    END IF;
EXCEPTION
    -- Citus reports a repeat as an internal error. If it is another one, it comes again.
    WHEN unique_violation OR internal_error THEN
        RETURN QUERY
        WITH stored AS (
            INSERT INTO "${schema}".processed_message (consumer, message_id, processed_at, expires_at)
            SELECT receiver, delivered.id, clock_timestamp(), clock_timestamp() + retention
            FROM pg_catalog.unnest(message_ids) AS delivered (id)
            WHERE (
                SELECT true
                FROM "${schema}".processed_message_earlier AS earlier
                WHERE (earlier.consumer, earlier.message_id) OPERATOR(pg_catalog.=) (receiver, delivered.id)
                LIMIT 1) IS NULL
            ORDER BY delivered.id COLLATE "C"
            ON CONFLICT DO NOTHING
            RETURNING message_id)
        SELECT delivered.id
        FROM pg_catalog.unnest(message_ids) AS delivered (id)
        WHERE NOT delivered.id COLLATE "C" OPERATOR(pg_catalog.=) ANY (SELECT stored.message_id FROM stored);
END
$$;
GRANT EXECUTE ON FUNCTION "${schema}".processed_message_store(text, text[], interval) TO PUBLIC;
