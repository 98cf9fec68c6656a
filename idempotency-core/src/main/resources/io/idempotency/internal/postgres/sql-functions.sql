-- The library's rules as functions, for callers that are not Java, and views for operators.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- The library runs this after its migrations. An administrator may run it by hand, as often as he likes. A change
-- needs a higher number in idempotency_functions_version, at the end. If parameters or columns of a result change, the
-- old function has to be dropped before.

-- Functions run with the rights of their callers. If a parameter and a column have the same name, #variable_conflict
-- says which of them a plain name is, and the other one is qualified. Comparisons name the collation "C", because an
-- argument brings along the collation of the caller's column.

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
            THEN format('contains U+%s, which is not printable',
                lpad(upper(to_hex(ascii(substring(value COLLATE "C" FROM unprintable)))), 4, '0'))
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
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
                    HINT = 'Do not repeat the call: a new intent needs a new key, and a repeat has the same payload.';
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
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

CREATE OR REPLACE FUNCTION "${schema}".idempotency_consume(
    consumer text, message_id text, payload_hash bytea DEFAULT NULL, retention interval DEFAULT '14 days',
    message_type text DEFAULT NULL, hash_version integer DEFAULT 1) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
    PERFORM "${schema}".idempotency_require_name('consumer', consumer, 128);
    PERFORM "${schema}".idempotency_require_name('message id', message_id, 255);
    IF message_type IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('message type', message_type, 128);
    END IF;
    PERFORM "${schema}".idempotency_require_terms(retention, payload_hash, hash_version);

    INSERT INTO "${schema}".processed_message (
        consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at)
    VALUES (consumer, message_id, message_type, payload_hash, CASE WHEN payload_hash IS NOT NULL THEN hash_version END,
        clock_timestamp(), clock_timestamp() + retention)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        -- A snapshot may not show the last failure, which would stay behind: an insert collides with it all the same.
        IF current_setting('transaction_isolation') <> 'read committed' THEN
            INSERT INTO "${schema}".message_failure (consumer, message_id, attempt_count,
                failure_code, failure_message, first_failed_at, last_failed_at, expires_at)
            VALUES (consumer, message_id, 1, '', '', statement_timestamp(), statement_timestamp(), '-infinity')
            ON CONFLICT DO NOTHING;
        END IF;
        DELETE FROM "${schema}".message_failure f
        WHERE f.consumer = consumer COLLATE "C" AND f.message_id = message_id COLLATE "C";
        RETURN true;
    END IF;

    PERFORM FROM "${schema}".processed_message m
    WHERE m.consumer = consumer COLLATE "C" AND m.message_id = message_id COLLATE "C"
        AND m.hash_version = hash_version AND m.payload_hash <> payload_hash;
    IF FOUND THEN
        RAISE EXCEPTION 'The message ''%'' has come to ''%'' with another payload before', message_id, consumer
            USING ERRCODE = 'P4020',
                DETAIL = 'The first one was handled; this one was not.',
                HINT = 'Do not repeat it. The sender uses one id for two messages, or changed a message between'
                    || ' deliveries.';
    END IF;
    RETURN false;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_consume IS
    'Whether a message comes for the first time; called in the transaction of its effect';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_require_position(consumer text, stream text, version bigint)
    RETURNS void LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM "${schema}".idempotency_require_name('consumer', consumer, 128);
    PERFORM "${schema}".idempotency_require_name('stream', stream, 255);
    PERFORM "${schema}".idempotency_require_argument(
        version IS NOT NULL, 'The version is missing',
        'Number the messages of a stream, or do not ask for their order.');
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_require_position IS
    'Part of the other functions: P4001 or P4002 unless the place in a stream is well-formed';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_advance(consumer text, stream text, version bigint) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM "${schema}".idempotency_require_position(consumer, stream, version);
    INSERT INTO "${schema}".stream_position AS p (consumer, stream_id, last_version, updated_at)
    VALUES (consumer, stream, version, clock_timestamp())
    ON CONFLICT (consumer, stream_id) DO UPDATE
    SET last_version = excluded.last_version, updated_at = excluded.updated_at
    WHERE p.last_version < excluded.last_version;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_advance IS
    'Whether a message is newer than all that its consumer has handled of its stream; gaps do not matter';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_advance_strictly(
    consumer text, stream text, version bigint, first_version bigint DEFAULT 1) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last bigint;
    expected bigint;
BEGIN
    PERFORM "${schema}".idempotency_require_position(consumer, stream, version);
    PERFORM "${schema}".idempotency_require_argument(
        first_version IS NOT NULL, 'The first version is missing', 'Say with which version a stream begins.');
    FOR attempt IN 1..10 LOOP
        IF version = first_version OR EXISTS (
            SELECT FROM "${schema}".stream_position known
            WHERE known.consumer = idempotency_advance_strictly.consumer COLLATE "C"
                AND known.stream_id = stream COLLATE "C") THEN
            INSERT INTO "${schema}".stream_position AS p (consumer, stream_id, last_version, updated_at)
            VALUES (idempotency_advance_strictly.consumer, stream, version, clock_timestamp())
            ON CONFLICT (consumer, stream_id) DO UPDATE
            SET last_version = excluded.last_version, updated_at = excluded.updated_at
            WHERE CASE WHEN p.last_version < excluded.last_version THEN p.last_version = excluded.last_version - 1 END;
            IF FOUND THEN
                RETURN true;
            END IF;
        END IF;
        SELECT p.last_version INTO last
        FROM "${schema}".stream_position p
        WHERE p.consumer = idempotency_advance_strictly.consumer COLLATE "C" AND p.stream_id = stream COLLATE "C";
        IF version <= last OR (last IS NULL AND version < first_version) THEN
            RETURN false;
        END IF;
        expected := coalesce(last + 1, first_version);
        IF version > expected THEN
            RAISE EXCEPTION 'The stream ''%'' of ''%'' is not at version % yet', stream, consumer, version
                USING ERRCODE = 'P4021',
                    DETAIL = format('Version %s is expected next.', expected),
                    HINT = 'Roll back, and handle the message after those that are missing.';
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The position of the stream ''%'' changed 10 times while it was looked at', stream
        USING ERRCODE = 'P4014', HINT = 'Roll back, and repeat the transaction after a pause.';
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_advance_strictly IS
    'Whether a message is the next one of its stream, and not an earlier one; P4021 if one is missing before it';

-- As the library divides messages among lanes: by the hash of a Java string, over its UTF-16 code units.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_outbox_lane(ordering_key text, lanes integer) RETURNS smallint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    character text;
    code_point bigint;
    hash bigint := 0;
BEGIN
    IF ordering_key IS NULL THEN
        RETURN floor(random() * lanes);
    END IF;
    FOREACH character IN ARRAY string_to_array(ordering_key, NULL) LOOP
        code_point := ascii(character);
        IF code_point > 65535 THEN
            hash := (hash * 31 + 55296 + ((code_point - 65536) >> 10)) & 4294967295;
            code_point := 56320 + ((code_point - 65536) & 1023);
        END IF;
        hash := (hash * 31 + code_point) & 4294967295;
    END LOOP;
    -- The low 32 bits with their sign, as an int of Java has.
    hash := (hash # (hash >> 16))::bit(32)::integer;
    RETURN ((hash % lanes) + lanes) % lanes;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_outbox_lane IS
    'Part of the other functions: the lane of a message';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_publish(
    topic text, message_type text, payload json, ordering_key text DEFAULT NULL, headers json DEFAULT '{}',
    deduplication_key text DEFAULT NULL, due_at timestamptz DEFAULT NULL,
    aggregate_type text DEFAULT NULL, aggregate_id text DEFAULT NULL,
    idempotency_scope text DEFAULT NULL, idempotency_key text DEFAULT NULL, caller text DEFAULT NULL,
    lanes integer DEFAULT 64) RETURNS uuid
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    body CONSTANT json := coalesce(payload, 'null');
    header record;
    header_count integer := 0;
    id uuid;
    earlier record;
BEGIN
    PERFORM "${schema}".idempotency_require_name('topic', topic, 249);
    PERFORM "${schema}".idempotency_require_name('message type', message_type, 128);
    IF ordering_key IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('ordering key', ordering_key, 255);
    END IF;
    IF deduplication_key IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('deduplication key', deduplication_key, 255);
    END IF;
    IF aggregate_type IS NOT NULL OR aggregate_id IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('aggregate type', aggregate_type, 128);
        PERFORM "${schema}".idempotency_require_name('aggregate id', aggregate_id, 255);
    END IF;
    IF idempotency_scope IS NOT NULL OR idempotency_key IS NOT NULL OR caller IS NOT NULL THEN
        caller := coalesce(caller, '');
        PERFORM "${schema}".idempotency_require_intent(idempotency_scope, idempotency_key, caller);
    END IF;
    PERFORM "${schema}".idempotency_require_argument(
        lanes BETWEEN 1 AND 1024, format('The number of lanes must be 1 to 1024, not %s', lanes),
        'Use the number of idempotency.outbox.lanes.');
    PERFORM "${schema}".idempotency_require_argument(
        due_at IS NULL OR due_at < timestamptz '10000-01-01 00:00:00+00',
        format('A message that is to be sent not before %s would never be', due_at),
        'Use NULL to send it at once.');
    PERFORM "${schema}".idempotency_require_argument(
        json_typeof(headers) = 'object', 'The headers are not a JSON object',
        'Use an object whose values are strings, such as {"tenant": "a"}.');
    FOR header IN SELECT h.key, h.value, h.value #>> '{}' AS text FROM json_each(headers) h LOOP
        header_count := header_count + 1;
        PERFORM "${schema}".idempotency_require_name('name of a header', header.key, 128);
        PERFORM "${schema}".idempotency_require_argument(
            json_typeof(header.value) = 'string', format('The header ''%s'' is not a string', header.key),
            'Use strings as values of headers.');
        PERFORM "${schema}".idempotency_require_name(format('header ''%s''', header.key), header.text, 1024, true);
        PERFORM "${schema}".idempotency_require_argument(
            header.key NOT IN ('message-id', 'message-type'),
            format('The header ''%s'' of a message is the library''s own', header.key),
            'Give the header another name.');
    END LOOP;
    PERFORM "${schema}".idempotency_require_argument(
        header_count <= 64, format('A message has at most 64 headers, not %s', header_count),
        'Send what is too much as a part of the payload.');

    FOR attempt IN 1..3 LOOP
        INSERT INTO "${schema}".outbox_event AS m (
            message_id, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id, payload, headers,
            deduplication_key, idempotency_scope, caller, idempotency_key, status, attempt_count,
            created_at, due_at, next_attempt_at)
        SELECT
            -- A version-7 UUID: the time in milliseconds over a random one, whose version 4 becomes 7.
            encode(set_bit(set_bit(overlay(
                uuid_send(gen_random_uuid())
                PLACING substring(int8send(floor(extract(epoch FROM t.now) * 1000)::bigint) FROM 3)
                FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid,
            topic, message_type, ordering_key, "${schema}".idempotency_outbox_lane(ordering_key, lanes),
            aggregate_type, aggregate_id, body, headers,
            deduplication_key, idempotency_scope, caller, idempotency_key, 'pending', 0,
            t.now, greatest(t.now, due_at), greatest(t.now, due_at)
        FROM (SELECT clock_timestamp() AS now) t
        ON CONFLICT (topic, deduplication_key) DO NOTHING
        RETURNING m.message_id INTO id;
        IF FOUND THEN
            RETURN id;
        END IF;
        -- As text first, because not all JSON can be jsonb.
        SELECT m.message_id, m.message_type = idempotency_publish.message_type COLLATE "C" AND CASE
                   WHEN m.payload::text = body::text THEN true
                   ELSE m.payload::jsonb = body::jsonb
               END AS is_same
        INTO earlier
        FROM "${schema}".outbox_event m
        WHERE m.topic = idempotency_publish.topic COLLATE "C"
            AND m.deduplication_key = idempotency_publish.deduplication_key COLLATE "C";
        IF earlier.is_same THEN
            RETURN earlier.message_id;
        ELSIF FOUND THEN
            RAISE EXCEPTION 'The deduplication key ''%'' of the topic ''%'' belongs to another message',
                deduplication_key, topic
                USING ERRCODE = 'P4030',
                    DETAIL = format('The message %s has another type or payload; this one was not recorded.',
                        earlier.message_id),
                    HINT = 'Use a key that is unique for each message of the topic.';
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The deduplication key ''%'' was in use and free again 3 times', deduplication_key
        USING ERRCODE = 'P4014', HINT = 'Roll back, and repeat the transaction after a pause.';
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_publish IS
    'Records a message in the transaction of the effect that it tells of, and gives its id';

CREATE OR REPLACE FUNCTION "${schema}".idempotency_lock(name text, resource text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Deletes one batch of one table, oldest rows first. Without statistics PostgreSQL would build a bitmap of all expired
-- rows for each batch.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_purge_batch(
    run uuid, table_name text, reached timestamptz, before timestamptz,
    row_limit integer, archive boolean, hold interval,
    OUT deleted integer, OUT last timestamptz)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = off AS $$
DECLARE
    name text := table_name;
    condition text;
    columns text := 'expires_at';
    archiving text := '';
    is_distributed boolean := false;
    row_key text := 'ctid';
    row_lock text := 'FOR UPDATE SKIP LOCKED';
BEGIN
    CASE table_name
        WHEN 'idempotency_request' THEN
            condition := '(status <> ''processing'' or locked_until < statement_timestamp())';
        WHEN 'processed_message', 'message_failure', 'outbox_event' THEN condition := 'true';
        WHEN 'response_body' THEN name := 'idempotency_request';
    END CASE;
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
            ' SELECT count(*), max(expires_at) FROM expired',
            name, condition, columns, archiving,
            format(
                CASE WHEN is_distributed THEN '(%1$s) IN (%2$s)' ELSE '%1$s = ANY (ARRAY(%2$s))' END,
                row_key,
                format(
                    'SELECT %1$s FROM "${schema}".%2$I WHERE expires_at >= $1 AND expires_at < $2 AND %3$s'
                    ' ORDER BY expires_at LIMIT $3 %4$s',
                    row_key, name, condition, row_lock)))
        INTO deleted, last
        USING reached, before, row_limit;
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

-- Has no SET clause, because a procedure with one cannot commit. So types and functions are qualified.
CREATE OR REPLACE PROCEDURE "${schema}".idempotency_purge(
    row_limit integer DEFAULT 1000, pause interval DEFAULT '100 milliseconds', archive boolean DEFAULT false,
    INOUT deleted bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    run CONSTANT pg_catalog.uuid := pg_catalog.gen_random_uuid();
    before CONSTANT pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    name pg_catalog.text;
    reached pg_catalog.timestamptz;
    batch pg_catalog.record;
    refusal pg_catalog.text;
BEGIN
    PERFORM "${schema}".idempotency_require_argument(
        row_limit BETWEEN 1 AND 100000, pg_catalog.format('row_limit must be 1 to 100000, not %s', row_limit),
        'Use the number of rows that one transaction may delete.');
    PERFORM "${schema}".idempotency_require_argument(
        pause BETWEEN interval '0' AND interval '10 seconds',
        pg_catalog.format('The pause must be 0 to 10 seconds, not %s', pause),
        'Use the time between two transactions. It is spent in one, which keeps VACUUM from removing what was'
        ' deleted.');
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
    FOREACH name IN ARRAY ARRAY[
        'idempotency_request', 'processed_message', 'message_failure', 'outbox_event', 'response_body'] LOOP
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
    UPDATE "${schema}".purge_lease SET held_until = '-infinity' WHERE run_id = run;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE "${schema}".idempotency_purge IS
    'Deletes all rows that have expired and clears responses that have, in batches of that many rows, and tells how'
    ' many; null if another run does. Called in no transaction';

CREATE OR REPLACE VIEW "${schema}".idempotency_stale AS
SELECT idempotency_scope, caller, idempotency_key, 'expired_lease' AS kind, attempt_count, claimed_by, claimed_at,
       locked_until, statement_timestamp() - locked_until AS stale_for
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

CREATE OR REPLACE VIEW "${schema}".outbox_pending AS
SELECT message_id, sequence, topic, message_type, ordering_key, lane, attempt_count, last_error, created_at, due_at,
       next_attempt_at, greatest(statement_timestamp() - due_at, interval '0') AS waiting_for,
       idempotency_scope, caller, idempotency_key
FROM "${schema}".outbox_event
WHERE status OPERATOR(pg_catalog.=) 'pending';
COMMENT ON VIEW "${schema}".outbox_pending IS
    'Messages that are to be sent, and for how long they have been due';

-- The last, so that it tells that all the others are there.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_functions_version() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'SELECT 1';
COMMENT ON FUNCTION "${schema}".idempotency_functions_version IS
    'The version of these functions; the library replaces older ones when it starts, and leaves newer ones alone';
