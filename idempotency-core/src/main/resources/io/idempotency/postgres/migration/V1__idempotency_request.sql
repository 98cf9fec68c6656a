-- Idempotency keys with their responses: one row for each intent.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- Types say what columns may hold as far as types can; CHECK constraints do not, because PostgreSQL plans those again in every
-- statement that writes, which takes longer than the rest of a claim. Only statements of this library write here.
-- Collation "C" because other orders belong to the operating system: where an update of that changes them, a unique index
-- does not find what it holds any more.

CREATE TABLE "${schema}".idempotency_request (
    request_id        uuid                     NOT NULL,
    idempotency_scope varchar(128) COLLATE "C" NOT NULL,
    caller            varchar(128) COLLATE "C" NOT NULL,
    idempotency_key   varchar(255) COLLATE "C" NOT NULL,
    request_hash      bytea                    NOT NULL,
    hash_version      smallint                 NOT NULL,
    status            text COLLATE "C"         NOT NULL,
    result_ref_type   text,
    result_ref_id     text,
    response_body     json,
    failure_code      text,
    failure_message   text,
    claimed_by        text                     NOT NULL,
    claim_token       uuid,
    claimed_at        timestamptz              NOT NULL,
    locked_until      timestamptz,
    attempt_count     integer                  NOT NULL,
    created_at        timestamptz              NOT NULL,
    updated_at        timestamptz              NOT NULL,
    expires_at        timestamptz              NOT NULL,
    CONSTRAINT idempotency_request_pkey PRIMARY KEY (request_id)
) WITH (
    -- Room on the page for the response that is written behind the claim, so that the update is a HOT one.
    fillfactor = 85
);

-- Large responses are stored compressed; lz4 takes a fraction of the time, where the server was built with it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE "${schema}".idempotency_request ALTER COLUMN response_body SET COMPRESSION lz4;
    END IF;
END
$$;

-- Of columns that no completion changes: an update of an indexed column would not be HOT.
CREATE INDEX idempotency_request_expires_at ON "${schema}".idempotency_request (expires_at);

COMMENT ON TABLE "${schema}".idempotency_request IS
    'Idempotency keys: who asked for what, how far it got, and the response that every repeat receives';
COMMENT ON COLUMN "${schema}".idempotency_request.request_id IS
    'idempotency_request_id(idempotency_scope, idempotency_key, caller)';
COMMENT ON COLUMN "${schema}".idempotency_request.response_body IS
    'JSON null if the response is null or there is none; SQL NULL if it is not stored, or not any more';

-- The first 16 bytes of SHA-256 over scope, caller and key in UTF-8, each behind its length as four bytes.
CREATE FUNCTION "${schema}".idempotency_request_id(scope text, key text, caller text DEFAULT '') RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(substring(sha256(
        int4send(octet_length(pg_catalog.convert_to(scope, 'UTF8'))) || pg_catalog.convert_to(scope, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(caller, 'UTF8'))) || pg_catalog.convert_to(caller, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(key, 'UTF8'))) || pg_catalog.convert_to(key, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid;

COMMENT ON FUNCTION "${schema}".idempotency_request_id(text, text, text) IS
    'The primary key of an intent, to look it up by scope, key and caller';
