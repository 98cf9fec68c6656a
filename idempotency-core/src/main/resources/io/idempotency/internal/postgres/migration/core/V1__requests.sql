-- Idempotency keys with their responses, one row for each intent, the lease of the purge, the applications to which
-- scopes, consumers and topics belong, and the ids of rows and locks for callers in SQL.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- Types say what columns may hold, as far as types can. There are no CHECK constraints, because PostgreSQL plans them
-- again in every statement that writes, which takes longer than the rest of a claim. The collation is "C", because
-- others belong to the operating system: if an update of that changes their order, a unique index does not find what
-- it holds any more.

CREATE TABLE "${schema}".idempotency_request (
    request_id          uuid                     NOT NULL,
    idempotency_scope   varchar(128) COLLATE "C" NOT NULL,
    caller              varchar(128) COLLATE "C" NOT NULL,
    idempotency_key     varchar(255) COLLATE "C" NOT NULL,
    request_hash        bytea                    NOT NULL,
    hash_version        smallint                 NOT NULL,
    status              text COLLATE "C"         NOT NULL,
    result_ref_type     text,
    result_ref_id       text,
    response_body       json,
    failure_code        text,
    failure_message     text,
    steps               jsonb,
    claimed_by          text                     NOT NULL,
    claim_token         uuid,
    claimed_at          timestamptz              NOT NULL,
    locked_until        timestamptz,
    attempt_count       integer                  NOT NULL,
    created_at          timestamptz              NOT NULL,
    updated_at          timestamptz              NOT NULL,
    expires_at          timestamptz              NOT NULL,
    response_expires_at timestamptz,
    CONSTRAINT idempotency_request_pkey PRIMARY KEY (request_id)
) WITH (
    -- Room on the page for the response that is written after the claim, so that the update is a HOT one.
    fillfactor = 85,
    -- By default a fifth of a table is dead before its space is used again, and a tenth has changed before its
    -- statistics do.
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

-- Large responses are stored compressed; lz4 takes a fraction of the time, where the server was built with it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE "${schema}".idempotency_request ALTER COLUMN response_body SET COMPRESSION lz4;
    END IF;
END
$$;

-- Indexed columns are those that no completion changes: an update of an indexed column would not be HOT.
CREATE INDEX idempotency_request_expires_at ON "${schema}".idempotency_request (expires_at);

-- The claim sets it. The index is empty if responses are kept as long as their keys.
CREATE INDEX idempotency_request_response_expires_at ON "${schema}".idempotency_request (response_expires_at)
    WHERE response_expires_at IS NOT NULL;

-- For leases that have expired. Without a lease locked_until is always null, so that the completion stays a HOT
-- update.
CREATE INDEX idempotency_request_lease ON "${schema}".idempotency_request (locked_until)
    WHERE locked_until IS NOT NULL;

COMMENT ON TABLE "${schema}".idempotency_request IS
    'Idempotency keys: who asked for what, how far it got, and the response that every repeat receives';
COMMENT ON COLUMN "${schema}".idempotency_request.request_id IS
    'idempotency_request_id(idempotency_scope, idempotency_key, caller)';
COMMENT ON COLUMN "${schema}".idempotency_request.response_body IS
    'JSON null if the response is null or there is none; SQL NULL if it is not stored, or not any more';
COMMENT ON COLUMN "${schema}".idempotency_request.steps IS
    'Recorded steps of a leased call, in their order; a result is JSON text within JSON, because jsonb would change it';
COMMENT ON COLUMN "${schema}".idempotency_request.response_expires_at IS
    'When the purge may clear response_body, the key being kept; null if the response goes with the key, or has gone';

CREATE TABLE "${schema}".purge_lease (
    one_row    boolean     NOT NULL DEFAULT true,
    run_id     uuid        NOT NULL,
    held_by    text        NOT NULL,
    started_at timestamptz NOT NULL,
    held_until timestamptz NOT NULL,
    CONSTRAINT purge_lease_pkey PRIMARY KEY (one_row),
    CONSTRAINT purge_lease_one_row CHECK (one_row)
) WITH (
    -- It is written after every batch: room for old versions until the next writer removes them.
    fillfactor = 10
);
COMMENT ON TABLE "${schema}".purge_lease IS
    'The lease of the purge: which run holds it, of all instances; another one may take it after held_until';

CREATE TABLE "${schema}".owner (
    kind        text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    application text COLLATE "C" NOT NULL,
    since       timestamptz      NOT NULL,
    CONSTRAINT owner_pkey PRIMARY KEY (kind, name)
);
COMMENT ON TABLE "${schema}".owner IS
    'The application to which a scope, a consumer or a topic belongs: another one with the same name is refused';
COMMENT ON COLUMN "${schema}".owner.application IS
    'idempotency.application, by default spring.application.name; empty for an application without a name';

-- The first 16 bytes of SHA-256 over scope, caller and key in UTF-8, each behind its length as four bytes.
CREATE FUNCTION "${schema}".idempotency_request_id(scope text, key text, caller text DEFAULT '') RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(substring(sha256(
        int4send(octet_length(pg_catalog.convert_to(scope, 'UTF8'))) || pg_catalog.convert_to(scope, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(caller, 'UTF8'))) || pg_catalog.convert_to(caller, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(key, 'UTF8'))) || pg_catalog.convert_to(key, 'UTF8'))
        FROM 1 FOR 16), 'hex')::uuid;
COMMENT ON FUNCTION "${schema}".idempotency_request_id(text, text, text) IS
    'The primary key of an intent, to look it up by scope, key and caller';

-- The first 8 bytes of SHA-256 over the word "idempotency.lock", the lock's name and the resource in UTF-8, each
-- behind its length as four bytes. The word keeps these numbers apart from others that are made of names in the same
-- way.
CREATE FUNCTION "${schema}".idempotency_lock_id(name text, resource text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substring(sha256(
        int4send(16) || 'idempotency.lock'::bytea
        || int4send(octet_length(pg_catalog.convert_to(name, 'UTF8'))) || pg_catalog.convert_to(name, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(resource, 'UTF8'))) || pg_catalog.convert_to(resource, 'UTF8'))
        FROM 1 FOR 8), 'hex'))::bit(64)::bigint;
COMMENT ON FUNCTION "${schema}".idempotency_lock_id(text, text) IS
    'What pg_advisory_xact_lock takes for a lock of this name on this resource';
