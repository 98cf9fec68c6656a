-- What stands for a lock of the application, so that whoever speaks SQL can take the same one.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- The first 8 bytes of SHA-256 over the word "idempotency.lock", the lock's name and the resource in UTF-8, each behind its
-- length as four bytes. The word keeps these numbers apart from others that are made of names in the same way.
CREATE FUNCTION "${schema}".idempotency_lock_id(name text, resource text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substring(sha256(
        int4send(octet_length(pg_catalog.convert_to('idempotency.lock', 'UTF8'))) || pg_catalog.convert_to('idempotency.lock', 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(name, 'UTF8'))) || pg_catalog.convert_to(name, 'UTF8')
        || int4send(octet_length(pg_catalog.convert_to(resource, 'UTF8'))) || pg_catalog.convert_to(resource, 'UTF8')) FROM 1 FOR 8), 'hex'))
        ::bit(64)::bigint;

COMMENT ON FUNCTION "${schema}".idempotency_lock_id(text, text) IS
    'What pg_advisory_xact_lock takes for a lock of this name on this resource';
