-- The rules of messages as functions, for callers that are not Java, and a view for operators. The functions of calls
-- (core.sql) come before.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- The library runs this after its migrations. An administrator may run it by hand, as often as he likes. A change
-- needs a higher number in idempotency_messaging_functions_version, at the end. If parameters or columns of a result
-- change, the old function has to be dropped before. What core.sql says of rights and names holds here too.

CREATE OR REPLACE FUNCTION "${schema}".idempotency_consume(
    consumer text, message_id text, payload_hash bytea DEFAULT NULL, retention interval DEFAULT '14 days',
    message_type text DEFAULT NULL, hash_version integer DEFAULT 1) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
    PERFORM "${schema}".idempotency_require_name('consumer', consumer, 128);
    PERFORM "${schema}".idempotency_require_name('message id', message_id, 255);
    IF message_type IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('message type', message_type, 128);
    END IF;
    PERFORM "${schema}".idempotency_require_terms(retention, payload_hash, hash_version);
    -- A caller must not switch off the search in closed partitions, as the library does where it has searched itself.
    IF current_setting('idempotency.looked', true) = 'yes' THEN
        PERFORM set_config('idempotency.looked', 'no', true);
    END IF;

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
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
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
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last bigint;
    expected bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
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

-- As text first, because not all JSON can be jsonb.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_same_json(one json, other json) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF one IS NULL OR other IS NULL OR one::text = other::text THEN
        RETURN one::text IS NOT DISTINCT FROM other::text;
    END IF;
    RETURN one::jsonb = other::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN false;
END
$$;
COMMENT ON FUNCTION "${schema}".idempotency_same_json IS
    'Part of the other functions: whether two payloads are the same';

-- Its parameters have changed.
DROP FUNCTION IF EXISTS "${schema}".idempotency_publish(
    text, text, json, text, json, text, timestamptz, text, text, text, text, text, integer);

CREATE OR REPLACE FUNCTION "${schema}".idempotency_publish(
    topic text, message_type text, payload json, ordering_key text DEFAULT NULL, headers json DEFAULT '{}',
    deduplication_key text DEFAULT NULL, due_at timestamptz DEFAULT NULL,
    aggregate_type text DEFAULT NULL, aggregate_id text DEFAULT NULL,
    idempotency_scope text DEFAULT NULL, idempotency_key text DEFAULT NULL, caller text DEFAULT NULL,
    lanes integer DEFAULT 64, without_payload boolean DEFAULT false) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    header record;
    header_count integer := 0;
    id uuid;
    earlier record;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
    PERFORM "${schema}".idempotency_require_name('topic', topic, 249);
    PERFORM "${schema}".idempotency_require_argument(
        NOT starts_with(topic COLLATE "C", 'idempotency.'), format('The topic ''%s'' is the library''s own', topic),
        'Use a topic that does not begin with ''idempotency.''.');
    PERFORM "${schema}".idempotency_require_name('message type', message_type, 128);
    IF ordering_key IS NOT NULL THEN
        PERFORM "${schema}".idempotency_require_name('ordering key', ordering_key, 255);
    END IF;
    PERFORM "${schema}".idempotency_require_argument(
        (payload IS NULL OR json_typeof(payload) = 'null') IS NOT DISTINCT FROM without_payload,
        CASE WHEN without_payload THEN 'The message has a payload' ELSE 'The payload is missing' END,
        'For a message without a payload, such as a tombstone in Kafka, use NULL and without_payload => true.');
    IF without_payload THEN
        payload := NULL;
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
            aggregate_type, aggregate_id, payload, headers,
            deduplication_key, idempotency_scope, caller, idempotency_key, 'pending', 0,
            t.now, greatest(t.now, due_at), greatest(t.now, due_at)
        FROM (SELECT clock_timestamp() AS now) t
        ON CONFLICT (topic, deduplication_key) DO NOTHING
        RETURNING m.message_id INTO id;
        IF FOUND THEN
            RETURN id;
        END IF;
        SELECT m.message_id, m.message_type = idempotency_publish.message_type COLLATE "C"
            AND "${schema}".idempotency_same_json(m.payload, idempotency_publish.payload) AS is_same
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

CREATE OR REPLACE FUNCTION "${schema}".idempotency_messaging_tables() RETURNS text[]
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT ARRAY['processed_message', 'message_failure', 'outbox_event'] $$;
COMMENT ON FUNCTION "${schema}".idempotency_messaging_tables IS
    'Part of idempotency_purge: the tables of messages whose rows expire';

-- Repeated whenever the functions are replaced. What is granted to roles stays.
REVOKE ALL ON FUNCTION
    "${schema}".idempotency_consume,
    "${schema}".idempotency_require_position,
    "${schema}".idempotency_advance,
    "${schema}".idempotency_advance_strictly,
    "${schema}".idempotency_outbox_lane,
    "${schema}".idempotency_same_json,
    "${schema}".idempotency_publish,
    "${schema}".idempotency_messaging_tables
FROM PUBLIC;

CREATE OR REPLACE VIEW "${schema}".outbox_pending AS
SELECT message_id, sequence, topic, message_type, ordering_key, lane, attempt_count, last_error, created_at, due_at,
       next_attempt_at,
       statement_timestamp() - least(greatest(due_at, timestamptz 'epoch'), statement_timestamp()) AS waiting_for,
       idempotency_scope, caller, idempotency_key
FROM "${schema}".outbox_event
WHERE status OPERATOR(pg_catalog.=) 'pending';
COMMENT ON VIEW "${schema}".outbox_pending IS
    'Messages that are to be sent, and for how long they have been due';

-- The last, so that it tells that all the others are there.
CREATE OR REPLACE FUNCTION "${schema}".idempotency_messaging_functions_version() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'SELECT 4';
COMMENT ON FUNCTION "${schema}".idempotency_messaging_functions_version IS
    'The version of these functions; the library replaces older ones when it starts, and leaves newer ones alone';
