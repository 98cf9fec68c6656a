-- Messages that are to be sent, written in the transaction of the effect that they tell of.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".outbox_event (
    message_id        uuid                     NOT NULL,
    sequence          bigint                   GENERATED ALWAYS AS IDENTITY,
    topic             varchar(249) COLLATE "C" NOT NULL,
    message_type      varchar(128) COLLATE "C" NOT NULL,
    ordering_key      varchar(255) COLLATE "C",
    lane              smallint                 NOT NULL,
    aggregate_type    varchar(128) COLLATE "C",
    aggregate_id      varchar(255) COLLATE "C",
    payload           json,
    headers           json                     NOT NULL,
    deduplication_key varchar(255) COLLATE "C",
    idempotency_scope text,
    caller            text,
    idempotency_key   text,
    status            text COLLATE "C"         NOT NULL,
    attempt_count     integer                  NOT NULL,
    last_error        text,
    created_at        timestamptz              NOT NULL,
    due_at            timestamptz              NOT NULL,
    next_attempt_at   timestamptz              NOT NULL,
    sent_at           timestamptz,
    expires_at        timestamptz,
    CONSTRAINT outbox_event_pkey PRIMARY KEY (message_id),
    CONSTRAINT outbox_event_deduplication UNIQUE (topic, deduplication_key),
    CONSTRAINT outbox_event_intent CHECK (
        (idempotency_scope IS NULL) = (idempotency_key IS NULL) AND (caller IS NULL) = (idempotency_key IS NULL)),
    CONSTRAINT outbox_event_sent CHECK ((status = 'sent') = (sent_at IS NOT NULL)),
    CONSTRAINT outbox_event_expiry_of_sent CHECK ((status = 'sent') = (expires_at IS NOT NULL)),
    CONSTRAINT outbox_event_error_of_dead CHECK (status <> 'dead' OR last_error IS NOT NULL)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

-- For what a relay takes next from a lane: it reads neither what was sent nor what is to be sent later.
CREATE INDEX outbox_event_due ON "${schema}".outbox_event (lane, next_attempt_at, sequence)
    WHERE status = 'pending';

-- For the messages of the same ordering key that have to be sent first.
CREATE INDEX outbox_event_order ON "${schema}".outbox_event (ordering_key, sequence) INCLUDE (next_attempt_at, topic)
    WHERE status = 'pending' AND ordering_key IS NOT NULL;

CREATE INDEX outbox_event_dead ON "${schema}".outbox_event (sequence)
    WHERE status = 'dead';

CREATE INDEX outbox_event_expires_at ON "${schema}".outbox_event (expires_at)
    WHERE expires_at IS NOT NULL;

COMMENT ON TABLE "${schema}".outbox_event IS
    'Messages to send, written in the transaction of their effect, and those that were sent not long ago';
COMMENT ON COLUMN "${schema}".outbox_event.sequence IS
    'The order of publishing; transactions that overlap may commit in another one';
COMMENT ON COLUMN "${schema}".outbox_event.lane IS
    'Follows from ordering_key; one relay at a time sends the messages of a lane';
COMMENT ON COLUMN "${schema}".outbox_event.due_at IS
    'When the message was to be sent, before any attempt failed';
