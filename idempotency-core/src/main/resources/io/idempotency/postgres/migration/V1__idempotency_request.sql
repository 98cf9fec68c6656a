-- Idempotency keys with their responses: one row for each intent.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".idempotency_request (
    request_id        uuid        NOT NULL,
    idempotency_scope text        NOT NULL,
    caller            text        NOT NULL,
    idempotency_key   text        NOT NULL,
    request_hash      bytea       NOT NULL,
    hash_version      smallint    NOT NULL,
    status            text        NOT NULL,
    result_ref_type   text,
    result_ref_id     text,
    response_body     json,
    failure_code      text,
    failure_message   text,
    claimed_by        text        NOT NULL,
    claim_token       uuid,
    claimed_at        timestamptz NOT NULL,
    locked_until      timestamptz,
    attempt_count     integer     NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    CONSTRAINT idempotency_request_pkey PRIMARY KEY (request_id),
    CONSTRAINT idempotency_request_scope_length CHECK (char_length(idempotency_scope) BETWEEN 1 AND 128),
    CONSTRAINT idempotency_request_caller_length CHECK (char_length(caller) <= 128),
    CONSTRAINT idempotency_request_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 255),
    CONSTRAINT idempotency_request_hash_present CHECK (octet_length(request_hash) > 0 AND hash_version > 0),
    CONSTRAINT idempotency_request_status_known
        CHECK (status IN ('processing', 'succeeded', 'failed_retryable', 'failed_final')),
    CONSTRAINT idempotency_request_response_of_success CHECK (response_body IS NULL OR status = 'succeeded'),
    CONSTRAINT idempotency_request_failure_of_failed
        CHECK ((failure_code IS NULL AND failure_message IS NULL) OR status IN ('failed_retryable', 'failed_final')),
    CONSTRAINT idempotency_request_lease_of_processing CHECK (locked_until IS NULL OR status = 'processing'),
    CONSTRAINT idempotency_request_attempts CHECK (attempt_count > 0)
) WITH (
    -- Room on the page for the response that is written behind the claim, so that the update is a HOT one.
    fillfactor = 70
);

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
        int4send(octet_length(convert_to(scope, 'UTF8'))) || convert_to(scope, 'UTF8')
        || int4send(octet_length(convert_to(caller, 'UTF8'))) || convert_to(caller, 'UTF8')
        || int4send(octet_length(convert_to(key, 'UTF8'))) || convert_to(key, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid;

COMMENT ON FUNCTION "${schema}".idempotency_request_id(text, text, text) IS
    'The primary key of an intent, to look it up by scope, key and caller';
