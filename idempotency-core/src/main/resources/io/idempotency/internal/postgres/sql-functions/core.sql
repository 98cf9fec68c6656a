-- The library's rules as functions, for callers that are not Java, and views for operators.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- The library runs this after its migrations. An administrator may run it by hand, as often as he likes. A change
-- needs a higher number in idempotency_functions_version, at the end. If parameters or columns of a result change, the
-- old function has to be dropped before.

-- Functions for callers run with the rights of their owner, who is the tables', so that a caller needs EXECUTE and no
-- right to a table. PUBLIC has none: the page on SQL says what to grant. A function that is dropped loses its grants. If
-- a parameter and a column have the same name, #variable_conflict
-- says which of them a plain name is, and the other one is qualified. Comparisons name the collation "C", because an
-- argument brings along the collation of the caller's column. A crash of the server must not undo what is acted on
-- outside, so what claims, completes, consumes or publishes is committed as with synchronous_commit = on at least.

CREATE OR REPLACE FUNCTION "${schema}".idempotency_require_name(
    what text, value text, max_length integer, may_be_empty boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    blank CONSTANT text :=
        '^[\u0009-\u000D\u001C-\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]*$';
    -- The Unicode categories Cc, Cf, Co, Zl and Zp, and code points that are no characters.
    unprintable CONSTANT text :=
        '[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        '\u2028-\u202E\u2060-\u206F\uE000-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFF0-\uFFFB\uFFFE\uFFFF\U000110BD\U000110CD'
        '\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E00FF\U000F0000-\U0010FFFF]';
    problem CONSTANT text := CASE
        WHEN value IS NULL THEN 'is missing'
        WHEN NOT may_be_empty AND value COLLATE "C" ~ blank THEN 'is blank'
        WHEN char_length(value) > max_length
            THEN format('has %s characters, more than %s', char_length(value), max_length)
        WHEN value COLLATE "C" ~ unprintable
            THEN format('contains U+%s, which is not printable', (
                SELECT lpad(digits, greatest(4, length(digits)), '0')
                FROM upper(to_hex(ascii(substring(value COLLATE "C" FROM unprintable)))) AS digits))
        END;
BEGIN
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION 'The % %', what, problem
            USING ERRCODE = 'P4001',
                DETAIL = format('It must have 1 to %s printable characters and must not be blank.', max_length),
                HINT = 'Correct the caller; nothing was written, and repeating the call gives the same error.';
    END IF;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_require_name IS
    'Part of the other functions: P4001 unless the name is well-formed';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_require_intent(scope text, key text, caller text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_name('scope', scope, 128);
    PERFORM "${schema}".idempotency_require_name('key', key, 255);
    PERFORM "${schema}".idempotency_require_name('caller', caller, 128, true);
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_require_intent IS
    'Part of the other functions: P4001 unless scope, key and caller are well-formed';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_require_argument(is_valid boolean, problem text, hint text)
    RETURNS void LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF is_valid IS NOT TRUE THEN
        RAISE EXCEPTION '%', problem USING ERRCODE = 'P4002', DETAIL = 'Nothing was written.', HINT = hint;
    END IF;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_require_argument IS
    'Part of the other functions: P4002 unless the argument is valid';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_require_terms(retention interval, hash bytea, hash_version integer)
    RETURNS void LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_argument(
        retention BETWEEN interval '1 millisecond' AND interval '365000 days',
        format('The retention must be at least one millisecond and at most 365000 days, not %s', retention),
        'Name how long a repeat may come, such as interval ''7 days''.');
    PERFORM "${schema}".idempotency_require_argument(
        hash IS NULL OR octet_length(hash) = 32,
        format('The hash of the payload must have 32 bytes, not %s', octet_length(hash)),
        'Hash the payload with SHA-256, such as sha256(convert_to(payload, ''UTF8'')).');
    PERFORM "${schema}".idempotency_require_argument(
        hash_version BETWEEN 1 AND 32767,
        format('The version of the hash must be 1 to 32767, not %s', hash_version),
        'Give each way of hashing a number of its own; 1 is the way of the Java library.');
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_require_terms IS
    'Part of the other functions: P4002 unless retention and hash are in range';

-- If the INSERT waited for a winner, it inserts nothing, and only a later statement sees what the winner has
-- committed: in READ COMMITTED each statement of a VOLATILE function takes a snapshot of its own. There is no
-- exception block: it would be a subtransaction, and it would catch the conflict only after the row was written.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_claim(
    scope text, key text, request_hash bytea, claimed_by text,
    lock_seconds integer DEFAULT NULL, retention interval DEFAULT '7 days',
    caller text DEFAULT '', hash_version integer DEFAULT 1, response_retention interval DEFAULT NULL,
    OUT claim_kind text, OUT response_body json, OUT result_ref_type text, OUT result_ref_id text,
    OUT attempt_count integer, OUT claim_token uuid,
    OUT failure_code text, OUT failure_message text, OUT locked_until timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    id CONSTANT uuid := "${schema}".idempotency_request_id(scope, key, caller);
    intent CONSTANT text := format('key ''%s'' in scope ''%s''', key, scope)
        || CASE WHEN caller = '' THEN '' ELSE format(' of caller ''%s''', caller) END;
    lease CONSTANT interval := nullif(lock_seconds, 0) * interval '1 second';
    token CONSTANT uuid := gen_random_uuid();
    now timestamptz;
    stored record;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
    PERFORM "${schema}".idempotency_require_intent(scope, key, caller);
    PERFORM "${schema}".idempotency_require_name('name in claimed_by', claimed_by, 255);
    PERFORM "${schema}".idempotency_require_argument(
        request_hash IS NOT NULL, 'The hash of the payload is missing',
        'Hash what the call is about, or a constant if its key says everything.');
    PERFORM "${schema}".idempotency_require_terms(retention, request_hash, hash_version);
    PERFORM "${schema}".idempotency_require_argument(
        response_retention IS NULL OR response_retention BETWEEN interval '1 millisecond' AND retention,
        format('The response''s retention must be at least one millisecond and at most %s, not %s',
            retention, response_retention),
        'Use NULL to keep the response as long as the key.');
    PERFORM "${schema}".idempotency_require_argument(
        lock_seconds IS NULL OR lock_seconds BETWEEN 0 AND 2147483,
        format('lock_seconds must be 0 to 2147483, not %s', lock_seconds),
        'Use NULL where claim and effect are one transaction, or seconds that are longer than the effect takes.');
    PERFORM "${schema}".idempotency_require_argument(
        lease IS NULL OR lease <= retention,
        format('The lease of %s is longer than the retention of %s', lease, retention),
        'Keep the key for longer than anybody may hold it.');

    FOR attempt IN 1..10 LOOP
        now := clock_timestamp();
        INSERT INTO "${schema}".idempotency_request AS r (
            request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version,
            status, claimed_by, claim_token, claimed_at, locked_until,
            attempt_count, created_at, updated_at, expires_at, response_expires_at)
        VALUES (id, scope, caller, key, request_hash, hash_version,
            'processing', claimed_by, token, now, now + lease,
            1, now, now, now + retention, now + response_retention)
        ON CONFLICT DO NOTHING
        RETURNING 'new_claim', r.attempt_count, r.claim_token, r.locked_until
        INTO claim_kind, attempt_count, claim_token, locked_until;
        IF FOUND THEN
            -- The INSERT may have waited for a holder that rolled back: a lease begins when it is granted.
            IF locked_until < clock_timestamp() + lease - interval '100 milliseconds' THEN
                now := clock_timestamp();
                UPDATE "${schema}".idempotency_request AS r
                SET claimed_at = now, locked_until = now + lease, updated_at = now,
                    expires_at = now + retention, response_expires_at = now + response_retention
                WHERE r.request_id = id AND r.caller = caller COLLATE "C"
                RETURNING r.locked_until INTO locked_until;
            END IF;
            RETURN;
        END IF;

        -- Takes no row lock: a lock writes, and a repeat writes nothing.
        SELECT r.* INTO stored FROM "${schema}".idempotency_request r
        WHERE r.request_id = id AND r.caller = caller COLLATE "C";
        CONTINUE WHEN NOT FOUND;

        IF (stored.idempotency_scope, stored.caller, stored.idempotency_key)
            IS DISTINCT FROM (scope COLLATE "C", caller COLLATE "C", key COLLATE "C") THEN
            RAISE EXCEPTION 'The % and another one have the same request id %', intent, id
                USING ERRCODE = 'P4003',
                    DETAIL = 'The request id is half of a SHA-256 over scope, caller and key.',
                    HINT = 'Use another key.';
        END IF;
        IF (stored.status <> 'failed_retryable' OR stored.steps IS NOT NULL
                OR (stored.status = 'failed_retryable' AND stored.locked_until IS NOT NULL)) AND stored.hash_version = hash_version
            AND stored.request_hash <> request_hash THEN
            RAISE EXCEPTION 'The % belongs to another payload', intent
                USING ERRCODE = 'P4010',
                    DETAIL = format('It was claimed at %s, by ''%s''.', stored.claimed_at, stored.claimed_by),
                    HINT = 'The call with the other payload may have had its effect: repeat it only with the payload that it had.';
        END IF;

        attempt_count := stored.attempt_count;
        IF stored.status = 'succeeded' THEN
            IF stored.response_body IS NULL THEN
                RAISE EXCEPTION 'The % succeeded, but its response is not stored any more', intent
                    USING ERRCODE = 'P4011',
                        DETAIL = format('Attempt %s has succeeded; the effect is there.', attempt_count),
                        HINT = 'Do not run the effect again. Look for it by the result that the caller knows.';
            END IF;
            claim_kind := 'replay_success';
            response_body := stored.response_body;
            result_ref_type := stored.result_ref_type;
            result_ref_id := stored.result_ref_id;
            RETURN;
        ELSIF stored.status = 'failed_final' THEN
            claim_kind := 'final_failure';
            failure_code := coalesce(stored.failure_code, '');
            failure_message := coalesce(stored.failure_message, '');
            RETURN;
        ELSIF stored.status = 'processing' AND stored.locked_until IS NULL THEN
            RAISE EXCEPTION 'The % is being processed without a lease', intent
                USING ERRCODE = 'P4012',
                    DETAIL = coalesce('It was ' || stored.failure_message || '. Nobody knows whether the effect is there.',
                        'Either this transaction has claimed it before and not completed it, or a transaction'
                        || ' that had claimed it without lock_seconds was committed before its completion, so that'
                        || ' nobody knows whether the effect is there.'),
                    HINT = 'Do not run the effect again. An operator looks whether it is there, and completes or'
                        || ' releases the request.';
        ELSIF stored.status = 'processing' AND stored.locked_until > clock_timestamp() THEN
            claim_kind := 'processing_active';
            locked_until := stored.locked_until;
            RETURN;
        ELSIF stored.steps IS NOT NULL THEN
            RAISE EXCEPTION 'The % has recorded steps, with which only its leased method can go on', intent
                USING ERRCODE = 'P4012',
                    DETAIL = 'An earlier attempt has recorded steps, which an attempt by SQL would repeat.',
                    HINT = 'Call the method. Or an operator finds out what the steps have done, and deletes their records.';
        END IF;

        -- The number of the attempt fences: of all callers that found the same row one wins, and the others read
        -- again.
        now := clock_timestamp();
        UPDATE "${schema}".idempotency_request AS r
        SET request_hash = idempotency_claim.request_hash, hash_version = idempotency_claim.hash_version,
            status = 'processing', response_body = NULL, result_ref_type = NULL, result_ref_id = NULL,
            failure_code = NULL, failure_message = NULL, claimed_by = idempotency_claim.claimed_by, claim_token = token,
            claimed_at = now, locked_until = now + lease, attempt_count = r.attempt_count + 1, updated_at = now,
            expires_at = now + retention, response_expires_at = now + response_retention
        WHERE r.request_id = id AND r.caller = caller COLLATE "C" AND r.attempt_count = stored.attempt_count
            AND (r.status = 'failed_retryable' OR (r.status = 'processing' AND r.locked_until <= now))
        RETURNING r.attempt_count, r.claim_token, r.locked_until INTO attempt_count, claim_token, locked_until;
        IF FOUND THEN
            claim_kind := CASE stored.status WHEN 'processing' THEN 'processing_stale' ELSE 'retryable_failure' END;
            -- Tells why it is tried again.
            failure_code := stored.failure_code;
            failure_message := stored.failure_message;
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The row of the % changed or vanished 10 times while it was looked at', intent
        USING ERRCODE = 'P4014',
            DETAIL = 'Nothing was claimed.',
            HINT = 'Roll back, and repeat the transaction after a pause.';
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_claim IS
    'Takes a key, or tells what became of it. Without lock_seconds the claim is part of the transaction of the effect;'
    ' with them it is to be committed before';

-- The columns that an outcome does not have are null already: in a new row, and a reclaim clears them.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_end_attempt(
    scope text, key text, caller text, token uuid, outcome text,
    body json, ref_type text, ref_id text, code text, message text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    id CONSTANT uuid := "${schema}".idempotency_request_id(scope, key, caller);
    now CONSTANT timestamptz := clock_timestamp();
    stored record;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
    PERFORM "${schema}".idempotency_require_intent(scope, key, caller);
    UPDATE "${schema}".idempotency_request AS r
    SET status = outcome, response_body = body, result_ref_type = ref_type, result_ref_id = ref_id,
        failure_code = code, failure_message = message,
        -- The retention of a lease counts from its end; without one the index keeps its entry.
        expires_at = (r.expires_at AT TIME ZONE 'UTC'
            + CASE WHEN r.locked_until IS NULL THEN interval '0' ELSE now - r.claimed_at END) AT TIME ZONE 'UTC',
        response_expires_at = (CASE WHEN outcome = 'succeeded' THEN r.response_expires_at AT TIME ZONE 'UTC' END
            + CASE WHEN r.locked_until IS NULL THEN interval '0' ELSE now - r.claimed_at END) AT TIME ZONE 'UTC',
        locked_until = NULL, updated_at = now
    WHERE r.request_id = id AND r.caller = caller COLLATE "C" AND r.status = 'processing' AND r.claim_token = token;
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT r.* INTO stored FROM "${schema}".idempotency_request r
    WHERE r.request_id = id AND r.caller = caller COLLATE "C";
    -- A repeat, because the answer to the COMMIT got lost.
    IF stored.status = outcome AND stored.claim_token = token THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'The key ''%'' in scope ''%'' is not held by this claim, or not any more', key, scope
        USING ERRCODE = 'P4013',
            DETAIL = CASE
                WHEN stored.request_id IS NULL
                    THEN 'There is no such request: the transaction of the claim was rolled back.'
                ELSE format('It is %s, attempt %s, last claimed at %s by ''%s''.',
                    stored.status, stored.attempt_count, stored.claimed_at, stored.claimed_by)
                END,
            HINT = 'Roll back what this attempt has written, and claim the key again to learn the outcome.';
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_end_attempt IS
    'Part of the other functions: stores the outcome of a claim, or P4013 and who holds the key';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_succeed(
    scope text, key text, claim_token uuid, result_ref_type text DEFAULT NULL, result_ref_id text DEFAULT NULL,
    response_body json DEFAULT NULL, caller text DEFAULT '') RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_end_attempt(scope, key, caller, claim_token, 'succeeded',
        coalesce(response_body, 'null'), result_ref_type, result_ref_id, NULL, NULL);
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_succeed IS
    'Completes a claim, in the transaction of its effect, with the response that every repeat receives';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_fail(
    scope text, key text, claim_token uuid, retryable boolean, code text,
    message text DEFAULT '', caller text DEFAULT '') RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_argument(
        retryable IS NOT NULL, 'Whether the failure is retryable is missing',
        'Use true if another attempt may succeed, false if every repeat is to get this failure.');
    PERFORM "${schema}".idempotency_require_argument(
        code IS NOT NULL, 'The code of the failure is missing',
        'Use a short text that callers can branch on, such as card_declined.');
    PERFORM "${schema}".idempotency_end_attempt(scope, key, caller, claim_token,
        CASE WHEN retryable THEN 'failed_retryable' ELSE 'failed_final' END,
        NULL, NULL, NULL, left(code, 255), left(coalesce(message, ''), 1000));
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_fail IS
    'Ends a claim with a failure, which is kept only if the transaction commits';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_lock(name text, resource text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_name('name of the lock', name, 128);
    PERFORM "${schema}".idempotency_require_name('resource', resource, 255);
    PERFORM pg_advisory_xact_lock("${schema}".idempotency_lock_id(name, resource));
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_lock IS
    'Locks what no row stands for until the transaction ends, as TransactionLocks does; waits as long as lock_timeout'
    ' allows';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_try_lock(name text, resource text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_name('name of the lock', name, 128);
    PERFORM "${schema}".idempotency_require_name('resource', resource, 255);
    RETURN pg_try_advisory_xact_lock("${schema}".idempotency_lock_id(name, resource));
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_try_lock IS
    'The same without a wait: whether the lock was taken';

-- The text is in the language of the session. In a function nothing can be committed.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_commit_refusal() RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    COMMIT;
    RETURN NULL;
EXCEPTION
    WHEN invalid_transaction_termination THEN
        RETURN sqlerrm;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_commit_refusal IS
    'Part of the other functions: how PostgreSQL refuses a COMMIT in a transaction of the caller';

-- A lease is never longer than a day. A later end is the error of a clock.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_purge_is_elsewhere(run uuid) RETURNS boolean
    LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM "${schema}".purge_lease
        WHERE run_id <> run AND held_until > clock_timestamp() AND held_until < clock_timestamp() + interval '1 day')
$$;
COMMENT ON FUNCTION "${schema}".idempotency_purge_is_elsewhere IS
    'Part of the other functions: whether another run holds the lease of the purge';

-- In the order in which they are purged. Responses are a column, and are cleared after rows are deleted.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_expiring_tables() RETURNS text[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_messages text[] := '{}';
BEGIN
    IF to_regprocedure('"${schema}".idempotency_messaging_tables()') IS NOT NULL THEN
        EXECUTE 'SELECT "${schema}".idempotency_messaging_tables()' INTO of_messages;
    END IF;
    RETURN ARRAY['idempotency_request'] || of_messages || ARRAY['response_body'];
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_expiring_tables IS
    'Part of idempotency_purge: the tables whose rows expire, and response_body';

-- Deletes one batch of one table, oldest rows first. Without statistics PostgreSQL would build a bitmap of all expired
-- rows for each batch.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_purge_batch(
    run uuid, table_name text, reached timestamptz, before timestamptz,
    row_limit integer, archive boolean, hold interval,
    OUT deleted integer, OUT last timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = off AS $$
DECLARE
    name text := table_name;
    condition text := 'true';
    columns text := 'expires_at';
    half_done_scopes text := 'NULL';
    half_done text;
    archiving text := '';
    is_distributed boolean := false;
    row_key text := 'ctid';
    row_lock text := 'FOR UPDATE SKIP LOCKED';
BEGIN
    PERFORM "${schema}".idempotency_require_argument(
        table_name = ANY ("${schema}".idempotency_expiring_tables()),
        format('No rows of %s expire', table_name), 'Call idempotency_purge.');
    PERFORM "${schema}".idempotency_require_argument(
        before <= clock_timestamp(), format('What expires at %s has not expired yet', before),
        'Call idempotency_purge.');
    PERFORM "${schema}".idempotency_require_argument(
        row_limit BETWEEN 1 AND 100000, format('row_limit must be 1 to 100000, not %s', row_limit),
        'Use the number of rows that one transaction may delete.');
    PERFORM "${schema}".idempotency_require_argument(
        hold BETWEEN interval '0' AND interval '2 minutes', format('The lease cannot be held for %s', hold),
        'Call idempotency_purge.');
    PERFORM "${schema}".idempotency_require_argument(
        archive IS NOT TRUE OR table_name = 'response_body'
            OR to_regclass(format('"${schema}".%I', table_name || '_archive')) IS NOT NULL,
        format('There is no table %s_archive', table_name),
        'Set idempotency.purge.archive = true in an application that migrates, or do not archive.');
    IF table_name = 'response_body' THEN
        name := 'idempotency_request';
    ELSIF table_name = 'idempotency_request' THEN
        condition := '(status <> ''processing'' or locked_until < statement_timestamp())';
        columns := 'expires_at, idempotency_scope, status, steps';
        half_done_scopes := 'string_agg(DISTINCT idempotency_scope::text, '', '') FILTER ('
            'WHERE steps IS NOT NULL AND status IN (''processing'', ''failed_retryable''))';
    END IF;
    -- A partitioned table loses whole partitions instead. A ctid would be unique within one of them only.
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = format('"${schema}".%I', name)::regclass AND c.relkind = 'p') THEN
        deleted := 0;
        RETURN;
    END IF;
    -- Queries before it locks: a run without the lease must not be in the way of the run that holds it.
    IF (CASE WHEN "${schema}".idempotency_purge_is_elsewhere(run) THEN true
        ELSE NOT pg_try_advisory_xact_lock('"${schema}".idempotency_request'::regclass::oid::integer, 0) END) THEN
        RETURN;
    END IF;
    -- A new statement, because the statement that took the lock may have begun before another run took the lease.
    IF "${schema}".idempotency_purge_is_elsewhere(run) THEN
        RETURN;
    END IF;
    -- Citus does not lock rows of several shards for a query, and a ctid is unique within one shard only.
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = $1 AND partkey IS NOT NULL)'
        INTO is_distributed USING format('"${schema}".%I', name)::regclass;
    END IF;
    IF is_distributed THEN
        row_lock := '';
        SELECT string_agg(quote_ident(a.attname), ', ') INTO row_key
        FROM pg_index AS i
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = format('"${schema}".%I', name)::regclass AND i.indisprimary;
    END IF;
    IF table_name = 'response_body' THEN
        EXECUTE format(
            'WITH expired AS ('
            ' SELECT %1$s, response_expires_at'
            ' FROM "${schema}".idempotency_request'
            ' WHERE response_expires_at >= $1 AND response_expires_at < $2 AND status = ''succeeded'''
            '     AND expires_at >= $2'
            ' ORDER BY response_expires_at LIMIT $3 %2$s),'
            ' cleared AS ('
            ' UPDATE "${schema}".idempotency_request SET response_body = NULL, steps = NULL, response_expires_at = NULL'
            ' WHERE %3$s AND response_expires_at < $2 RETURNING 1)'
            ' SELECT (SELECT count(*) FROM cleared), max(response_expires_at) FROM expired',
            row_key, row_lock,
            CASE WHEN is_distributed THEN format('(%1$s) IN (SELECT %1$s FROM expired)', row_key)
                ELSE 'ctid = ANY (ARRAY(SELECT ctid FROM expired))' END)
        INTO deleted, last
        USING reached, before, row_limit;
    ELSE
        IF archive THEN
            -- A table that is prepared for partitions has a column that its archive has not.
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO columns
            FROM pg_attribute a
            JOIN pg_attribute k ON k.attname = a.attname AND NOT k.attisdropped
            WHERE a.attrelid = format('"${schema}".%I', name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
                AND k.attrelid = format('"${schema}".%I', name || '_archive')::regclass;
            archiving := format(
                ', archived AS ('
                ' INSERT INTO "${schema}".%1$I (%2$s, archived_at) SELECT %2$s, clock_timestamp() FROM expired)',
                name || '_archive', columns);
        END IF;
        -- Checks the condition once more, because the table may have been exchanged for a partitioned one meanwhile.
        EXECUTE format(
            'WITH expired AS ('
            ' DELETE FROM "${schema}".%1$I WHERE %5$s'
            '     AND expires_at < $2 AND %2$s'
            ' RETURNING %3$s)%4$s'
            ' SELECT count(*), max(expires_at), ' || half_done_scopes || ' FROM expired',
            name, condition, columns, archiving,
            format(
                CASE WHEN is_distributed THEN '(%1$s) IN (%2$s)' ELSE '%1$s = ANY (ARRAY(%2$s))' END,
                row_key,
                format(
                    'SELECT %1$s FROM "${schema}".%2$I WHERE expires_at >= $1 AND expires_at < $2 AND %3$s'
                    ' ORDER BY expires_at LIMIT $3 %4$s',
                    row_key, name, condition, row_lock)))
        INTO deleted, last, half_done
        USING reached, before, row_limit;
        IF half_done IS NOT NULL THEN
            RAISE WARNING 'The purge has deleted half-done calls of the scopes: %', half_done
                USING DETAIL = 'They had recorded steps, and were neither finished nor decided about within their retention.'
                    ' What their steps did outside of PostgreSQL remains.';
        END IF;
    END IF;
    INSERT INTO "${schema}".purge_lease AS lease (run_id, held_by, started_at, held_until)
    VALUES (run, 'SQL, backend ' || pg_backend_pid(), clock_timestamp(), clock_timestamp() + hold)
    ON CONFLICT (one_row) DO UPDATE
    SET run_id = excluded.run_id, held_by = excluded.held_by, held_until = excluded.held_until,
        started_at = CASE WHEN lease.run_id = excluded.run_id THEN lease.started_at ELSE excluded.started_at END;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_purge_batch IS
    'Part of idempotency_purge: deletes a batch of one table, if no other run holds the lease';

-- The tables to purge, if the arguments are valid.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_purge_begin(row_limit integer, pause interval) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_argument(
        row_limit BETWEEN 1 AND 100000, format('row_limit must be 1 to 100000, not %s', row_limit),
        'Use the number of rows that one transaction may delete.');
    PERFORM "${schema}".idempotency_require_argument(
        pause BETWEEN interval '0' AND interval '10 seconds',
        format('The pause must be 0 to 10 seconds, not %s', pause),
        'Use the time between two transactions. It is spent in one, which keeps VACUUM from removing what was'
        ' deleted.');
    RETURN "${schema}".idempotency_expiring_tables();
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_purge_begin IS
    'Part of idempotency_purge: P4002 unless its arguments are valid, and the tables whose rows expire';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_purge_end(run uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE "${schema}".purge_lease SET held_until = '-infinity' WHERE run_id = run;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_purge_end IS
    'Part of idempotency_purge: gives the lease of a run back';

-- Runs with the rights of its caller, because PostgreSQL lets no procedure commit that runs with those of its owner or
-- has a SET clause. So types and functions are qualified, and what needs rights is in the functions above.
CREATE OR REPLACE PROCEDURE "${schema}".idempotency_purge(
    row_limit integer DEFAULT 1000, pause interval DEFAULT '100 milliseconds', archive boolean DEFAULT false,
    INOUT deleted bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    run CONSTANT pg_catalog.uuid := pg_catalog.gen_random_uuid();
    before CONSTANT pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    names pg_catalog.text[];
    name pg_catalog.text;
    reached pg_catalog.timestamptz;
    batch pg_catalog.record;
    refusal pg_catalog.text;
BEGIN
    names := "${schema}".idempotency_purge_begin(row_limit, pause);
    -- It is refused in any case here, but for another reason where this procedure may commit.
    BEGIN
        COMMIT;
    EXCEPTION
        WHEN invalid_transaction_termination THEN
            refusal := sqlerrm;
    END;
    IF refusal = "${schema}".idempotency_commit_refusal() THEN
        RAISE EXCEPTION 'The purge commits after each batch, so it cannot be a part of a transaction'
            USING ERRCODE = 'P4040',
                DETAIL = 'Nothing was deleted.',
                HINT = 'Call it without BEGIN, with the client in autocommit mode, and not from a function.';
    END IF;
    COMMIT;
    -- Overrides the default, because after a wait for another run its changes must be visible. It must come before any
    -- query of a transaction.
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    deleted := 0;
    FOREACH name IN ARRAY names LOOP
        reached := '-infinity';
        LOOP
            SELECT * INTO batch FROM "${schema}".idempotency_purge_batch(
                run, name, reached, before, row_limit, archive, pause + interval '1 minute');
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF batch.deleted IS NULL THEN
                RAISE NOTICE 'Another run holds the lease of the purge';
                deleted := nullif(deleted, 0);
                RETURN;
            END IF;
            deleted := deleted + batch.deleted;
            reached := coalesce(batch.last, reached);
            EXIT WHEN batch.deleted < row_limit;
            PERFORM pg_catalog.pg_sleep_for(pause);
        END LOOP;
    END LOOP;
    PERFORM "${schema}".idempotency_purge_end(run);
    COMMIT;
END
$$;
COMMENT ON PROCEDURE "${schema}".idempotency_purge IS
    'Deletes all rows that have expired and clears responses that have, in batches of that many rows, and tells how'
    ' many; null if another run does. Called in no transaction';

-- Repeated whenever the functions are replaced. What is granted to roles stays.
REVOKE ALL ON FUNCTION
    "${schema}".idempotency_require_name,
    "${schema}".idempotency_require_intent,
    "${schema}".idempotency_require_argument,
    "${schema}".idempotency_require_terms,
    "${schema}".idempotency_claim,
    "${schema}".idempotency_end_attempt,
    "${schema}".idempotency_succeed,
    "${schema}".idempotency_fail,
    "${schema}".idempotency_lock,
    "${schema}".idempotency_try_lock,
    "${schema}".idempotency_commit_refusal,
    "${schema}".idempotency_purge_is_elsewhere,
    "${schema}".idempotency_expiring_tables,
    "${schema}".idempotency_purge_batch,
    "${schema}".idempotency_purge_begin,
    "${schema}".idempotency_purge_end
FROM PUBLIC;
REVOKE ALL ON PROCEDURE "${schema}".idempotency_purge FROM PUBLIC;

-- Views run with the rights of their owner as well: an operator needs SELECT on them and no right to a table.
CREATE OR REPLACE VIEW "${schema}".idempotency_stale AS
SELECT idempotency_scope, caller, idempotency_key, 'expired_lease' AS kind, attempt_count, claimed_by, claimed_at,
       locked_until, statement_timestamp() - greatest(locked_until, timestamptz 'epoch') AS stale_for
FROM "${schema}".idempotency_request
WHERE status = 'processing' AND locked_until <= statement_timestamp()
UNION ALL
SELECT idempotency_scope, caller, idempotency_key, 'no_lease', attempt_count, claimed_by, claimed_at,
       NULL, statement_timestamp() - claimed_at
FROM "${schema}".idempotency_request
WHERE status = 'processing' AND locked_until IS NULL;
COMMENT ON VIEW "${schema}".idempotency_stale IS
    'Requests whose holder has vanished or that are given up: an expired lease waits for a repeat, one without a lease'
    ' for an operator;'
    ' reads the whole table, but where kind = ''expired_lease'' an index only';

CREATE OR REPLACE VIEW "${schema}".idempotency_retrying AS
SELECT idempotency_scope, caller, idempotency_key, status, attempt_count, failure_code, failure_message, claimed_by,
       created_at, claimed_at, locked_until
FROM "${schema}".idempotency_request
WHERE status = 'failed_retryable' OR (status = 'processing' AND attempt_count > 1);
COMMENT ON VIEW "${schema}".idempotency_retrying IS
    'Requests that have failed and have not succeeded since; reads the whole table';

CREATE OR REPLACE VIEW "${schema}".idempotency_step AS
SELECT request.idempotency_scope, request.caller, request.idempotency_key, request.status, step.position,
       step.value ->> 'name' AS step, (step.value ->> 'attempt')::integer AS attempt,
       (step.value ->> 'recorded_at')::timestamptz AS recorded_at, (step.value ->> 'response')::json AS response,
       step.value ->> 'failure_code' AS failure_code, step.value ->> 'failure_message' AS failure_message
FROM "${schema}".idempotency_request AS request,
     pg_catalog.jsonb_array_elements(request.steps) WITH ORDINALITY AS step (value, position);
COMMENT ON VIEW "${schema}".idempotency_step IS
    'The recorded steps of leased calls; reads the whole table';

CREATE OR REPLACE VIEW "${schema}".idempotency_by_scope AS
SELECT idempotency_scope,
       count(*) AS requests,
       count(*) FILTER (WHERE status = 'processing') AS processing,
       count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
       count(*) FILTER (WHERE status = 'failed_retryable') AS failed_retryable,
       count(*) FILTER (WHERE status = 'failed_final') AS failed_final,
       count(*) FILTER (WHERE attempt_count > 1) AS tried_again,
       max(attempt_count) AS most_attempts,
       min(created_at) AS oldest,
       max(claimed_at) AS last_claim
FROM "${schema}".idempotency_request
GROUP BY idempotency_scope;
COMMENT ON VIEW "${schema}".idempotency_by_scope IS
    'What became of the requests of each scope; reads the whole table';

-- The last, so that it tells that all the others are there. Everybody may ask for it, because an application's role
-- finds out whether it has to install them.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_functions_version() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'SELECT 3';
COMMENT ON FUNCTION "${schema}".idempotency_functions_version IS
    'The version of these functions; the library replaces older ones when it starts, and leaves newer ones alone';
