-- Responses in a table of their own, in partitions by the time until which they are kept, for whoever wants that. Until a
-- claim says so in response_kept_until, its response is in its row of idempotency_request.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".idempotency_response (
    request_id      uuid        NOT NULL,
    expires_at      timestamptz NOT NULL,
    response_body   json        NOT NULL,
    result_ref_type text,
    result_ref_id   text,
    -- Of one key there may be several in a partition, if it is used again when its retention is over.
    CONSTRAINT idempotency_response_pkey PRIMARY KEY (request_id, expires_at)
) PARTITION BY RANGE (expires_at);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE "${schema}".idempotency_response ALTER COLUMN response_body SET COMPRESSION lz4;
    END IF;
END
$$;

-- It takes what no other partition is for, so that none that is missing fails a call.
CREATE TABLE "${schema}".idempotency_response_rest PARTITION OF "${schema}".idempotency_response
    FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

COMMENT ON TABLE "${schema}".idempotency_response IS
    'Responses that are not in the rows of their keys, in partitions that are dropped as a whole';
COMMENT ON COLUMN "${schema}".idempotency_response.expires_at IS
    'As response_kept_until of the key says, so that a look needs one partition';

-- Only of what has the status succeeded.
ALTER TABLE "${schema}".idempotency_request ADD COLUMN response_kept_until timestamptz;

ALTER TABLE "${schema}".idempotency_request_archive ADD COLUMN response_kept_until timestamptz;

COMMENT ON COLUMN "${schema}".idempotency_request.response_kept_until IS
    'If it is set, the response is in idempotency_response, under this time, and not in response_body';

-- The response of a key that has such a time. Without one before that time has come, the transaction of the claim was
-- committed without it, or is still running and the caller's own; afterwards it has gone. For who reads a key and its response
-- in one statement, so that they are of one snapshot, and locks no partition if the response is in the row of its key.
CREATE FUNCTION "${schema}".idempotency_stored_response(
    wanted_id uuid,
    kept_until timestamptz,
    OUT response_body json,
    OUT result_ref_type text,
    OUT result_ref_id text)
    LANGUAGE plpgsql STABLE STRICT
    SET search_path = pg_catalog, pg_temp
    -- Whoever looks waits for nobody who has locked a partition for longer.
    SET lock_timeout = '1s'
    AS $$
#variable_conflict use_column
BEGIN
    SELECT r.response_body, r.result_ref_type, r.result_ref_id
    INTO idempotency_stored_response.response_body, idempotency_stored_response.result_ref_type,
        idempotency_stored_response.result_ref_id
    FROM "${schema}".idempotency_response AS r
    WHERE r.request_id = wanted_id AND r.expires_at = kept_until;
END
$$;

COMMENT ON FUNCTION "${schema}".idempotency_stored_response(uuid, timestamptz) IS
    'Part of what reads a key whose response is not in its row: the response, or nulls';

-- Whatever the default privileges are: who reads a key needs it, wherever its response is.
GRANT EXECUTE ON FUNCTION "${schema}".idempotency_stored_response(uuid, timestamptz) TO PUBLIC;
