-- Who purges, where purged rows may be kept, and what keeps tables small from which rows are deleted all the time.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".purge_turn (
    one_row    boolean     NOT NULL DEFAULT true,
    run_id     uuid        NOT NULL,
    held_by    text        NOT NULL,
    started_at timestamptz NOT NULL,
    held_until timestamptz NOT NULL,
    CONSTRAINT purge_turn_pkey PRIMARY KEY (one_row),
    CONSTRAINT purge_turn_one_row CHECK (one_row)
) WITH (
    -- Written after every batch: room for versions that the next writer clears away.
    fillfactor = 10
);

COMMENT ON TABLE "${schema}".purge_turn IS
    'Which run of the purge has its turn, of all instances; another one may take it after held_until';

-- To see leases that have expired. Without a lease locked_until is always null, so that the completion stays a HOT update.
CREATE INDEX IF NOT EXISTS idempotency_request_lease ON "${schema}".idempotency_request (locked_until)
    WHERE locked_until IS NOT NULL;

-- What is purged, where it is archived. A column that is added to a table is added to its archive too.
CREATE TABLE "${schema}".idempotency_request_archive (
    LIKE "${schema}".idempotency_request,
    archived_at timestamptz NOT NULL
);

CREATE TABLE "${schema}".processed_message_archive (
    LIKE "${schema}".processed_message,
    archived_at timestamptz NOT NULL
);

CREATE TABLE "${schema}".message_failure_archive (
    LIKE "${schema}".message_failure,
    archived_at timestamptz NOT NULL
);

CREATE TABLE "${schema}".outbox_event_archive (
    LIKE "${schema}".outbox_event,
    archived_at timestamptz NOT NULL
);

-- By default a fifth of a table is dead before its space is used again, and a tenth has changed before its statistics do.
ALTER TABLE "${schema}".idempotency_request SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

ALTER TABLE "${schema}".processed_message SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

ALTER TABLE "${schema}".message_failure SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

ALTER TABLE "${schema}".stream_position SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

ALTER TABLE "${schema}".outbox_event SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);
