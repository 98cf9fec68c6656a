-- What it takes to keep messages that were sent in partitions of a day, a week or a month, which are dropped as a whole.
-- Nothing changes until partition_outbox_event() is called.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- A unique index cannot span partitions. Empty as long as outbox_event is one table.
CREATE TABLE "${schema}".outbox_deduplication (
    topic             "${schema}".outbox_event_topic             NOT NULL,
    deduplication_key "${schema}".outbox_event_deduplication_key NOT NULL,
    message_id        uuid                                       NOT NULL,
    CONSTRAINT outbox_deduplication_pkey PRIMARY KEY (topic, deduplication_key)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);

COMMENT ON TABLE "${schema}".outbox_deduplication IS
    'Which message of a topic has which deduplication key, where outbox_event is partitioned; a key counts while its message is there';

-- The message that has a deduplication key, and whether a new one says the same. Another function takes its place when
-- outbox_event is partitioned. As text first, because not all JSON can be jsonb.
CREATE FUNCTION "${schema}".outbox_message_of(
    wanted_topic text, wanted_key text, new_type text, new_payload json, OUT message_id uuid, OUT is_same boolean)
    LANGUAGE sql VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS 'SELECT m.message_id, m.message_type = new_type AND CASE
            WHEN m.payload::text = new_payload::text THEN true
            ELSE m.payload::jsonb = new_payload::jsonb
        END
        FROM "${schema}".outbox_event AS m
        WHERE m.topic = wanted_topic AND m.deduplication_key = wanted_key';

-- Whatever the default privileges are: who publishes needs it. The one that takes its place keeps its rights.
GRANT EXECUTE ON FUNCTION "${schema}".outbox_message_of(text, text, text, json) TO PUBLIC;

-- In the place of the unique index: the row is not inserted if another message has its key. A row that moves to another
-- partition comes by here too, and finds its own.
CREATE FUNCTION "${schema}".outbox_event_take_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    holder  uuid;
    is_kept boolean;
BEGIN
    LOOP
        INSERT INTO "${schema}".outbox_deduplication (topic, deduplication_key, message_id)
        VALUES (NEW.topic, NEW.deduplication_key, NEW.message_id)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN NEW;
        END IF;
        SELECT d.message_id INTO holder
        FROM "${schema}".outbox_deduplication AS d
        WHERE d.topic = NEW.topic AND d.deduplication_key = NEW.deduplication_key;
        -- If it is gone meanwhile, the key is free.
        IF FOUND THEN
            IF holder = NEW.message_id THEN
                RETURN NEW;
            END IF;
            is_kept := EXISTS (SELECT FROM "${schema}".outbox_event AS m WHERE m.message_id = holder);
            -- Looked at last: whoever has read outbox_event keeps this from becoming a partition of it meanwhile.
            IF NOT is_kept AND to_regclass('"${schema}".outbox_event_before') IS NOT NULL THEN
                EXECUTE 'SELECT EXISTS (SELECT FROM "${schema}".outbox_event_before AS m WHERE m.message_id = $1)'
                    INTO is_kept USING holder;
            END IF;
            IF is_kept THEN
                IF NEW.status = 'pending' THEN
                    RETURN NULL;
                END IF;
                RAISE unique_violation USING
                    MESSAGE = format('duplicate key value violates unique constraint "%s"', 'outbox_event_deduplication'),
                    DETAIL = format('The message %s has the deduplication key %s.', holder, NEW.deduplication_key),
                    SCHEMA = TG_TABLE_SCHEMA,
                    TABLE = TG_TABLE_NAME,
                    CONSTRAINT = 'outbox_event_deduplication';
            END IF;
            -- Its message is gone with its partition, or was deleted.
            UPDATE "${schema}".outbox_deduplication AS d
            SET message_id = NEW.message_id
            WHERE d.topic = NEW.topic AND d.deduplication_key = NEW.deduplication_key AND d.message_id = holder;
            IF FOUND THEN
                RETURN NEW;
            END IF;
        END IF;
    END LOOP;
END
$$;

CREATE FUNCTION "${schema}".outbox_event_change_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    DELETE FROM "${schema}".outbox_deduplication AS d
    WHERE d.topic = OLD.topic AND d.deduplication_key = OLD.deduplication_key AND d.message_id = OLD.message_id;
    IF NEW.deduplication_key IS NOT NULL THEN
        INSERT INTO "${schema}".outbox_deduplication (topic, deduplication_key, message_id)
        VALUES (NEW.topic, NEW.deduplication_key, NEW.message_id);
    END IF;
    RETURN NEW;
END
$$;

-- Keeps the keys of both tables alike while outbox_event is made ready. There its unique index decides.
CREATE FUNCTION "${schema}".outbox_event_copy_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO "${schema}".outbox_deduplication (topic, deduplication_key, message_id)
    VALUES (NEW.topic, NEW.deduplication_key, NEW.message_id)
    ON CONFLICT (topic, deduplication_key) DO UPDATE SET message_id = excluded.message_id;
    RETURN NULL;
END
$$;

-- The first step for a table with rows: from now on the keys of what is published are in outbox_deduplication too.
CREATE FUNCTION "${schema}".prepare_partitions_of_outbox_event() RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '1s'
    SET datestyle = 'ISO'
    AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE oid = '"${schema}".outbox_event'::regclass AND relkind = 'p') THEN
        RETURN;
    END IF;
    PERFORM "${schema}".storage_refuse_policies('"${schema}".outbox_event');
    CREATE OR REPLACE TRIGGER outbox_event_copy_key
        AFTER INSERT OR UPDATE OF topic, deduplication_key ON "${schema}".outbox_event
        FOR EACH ROW WHEN (NEW.deduplication_key IS NOT NULL)
        EXECUTE FUNCTION "${schema}".outbox_event_copy_key();
END
$$;

-- Makes outbox_event a partitioned table, in one short transaction. What is to be sent moves there; what was sent stays
-- where it is, in outbox_event_before, until attach_outbox_event_before() is called.
CREATE FUNCTION "${schema}".partition_outbox_event() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '1s'
    SET datestyle = 'ISO'
    SET enable_seqscan = off
    AS $$
DECLARE
    most_to_move    CONSTANT integer := 100000;
    kept            boolean;
    prepared        boolean;
    border          timestamptz;
    last_sequence   bigint;
    old_oid         oid := '"${schema}".outbox_event'::regclass;
    columns         text;
    moved           text;
    owner           name;
    role_before     text := current_setting('role');
    views           text[];
    view            text;
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE oid = old_oid AND relkind = 'p') THEN
        RETURN false;
    END IF;
    PERFORM "${schema}".storage_refuse_policies(old_oid);
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE invalid_transaction_state USING
            MESSAGE = 'outbox_event can be partitioned in a transaction of isolation level READ COMMITTED only',
            HINT = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED';
    END IF;
    SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = old_oid AND tgname = 'outbox_event_copy_key') INTO prepared;
    IF prepared THEN
        -- Before the lock. What is published from now on brings its key itself.
        INSERT INTO "${schema}".outbox_deduplication (topic, deduplication_key, message_id)
        SELECT m.topic, m.deduplication_key, m.message_id
        FROM "${schema}".outbox_event AS m
        WHERE m.deduplication_key IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM "${schema}".outbox_deduplication AS d
                WHERE d.topic = m.topic AND d.deduplication_key = m.deduplication_key)
        ON CONFLICT DO NOTHING;
    END IF;

    SELECT pg_get_userbyid(relowner) INTO owner FROM pg_class WHERE oid = old_oid;
    -- A superuser must not own what the owner of the other tables has to maintain.
    PERFORM set_config('role', owner, true);
    LOCK TABLE "${schema}".outbox_event IN ACCESS EXCLUSIVE MODE;
    -- Another session may have been faster.
    IF old_oid <> '"${schema}".outbox_event'::regclass THEN
        PERFORM set_config('role', role_before, true);
        RETURN false;
    END IF;
    -- Once more, now that nobody can give it any.
    PERFORM "${schema}".storage_refuse_policies(old_oid);
    kept := EXISTS (SELECT FROM "${schema}".outbox_event);
    IF kept AND NOT prepared THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'outbox_event has rows and was not prepared',
            HINT = 'SELECT "${schema}".prepare_partitions_of_outbox_event()';
    END IF;
    IF (SELECT count(*) FROM (
            (SELECT FROM "${schema}".outbox_event WHERE status = 'pending' LIMIT most_to_move)
            UNION ALL
            (SELECT FROM "${schema}".outbox_event WHERE status = 'dead' LIMIT most_to_move)) AS m) >= most_to_move THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('%s messages or more wait in outbox_event, or are dead', most_to_move),
            HINT = 'They would have to move while nobody may publish. Try again when they are sent or deleted.';
    END IF;
    SELECT max(expires_at) + interval '1 microsecond' INTO border
    FROM "${schema}".outbox_event
    WHERE expires_at IS NOT NULL;
    EXECUTE format('SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM %s',
        pg_get_serial_sequence('"${schema}".outbox_event', 'sequence')) INTO last_sequence;

    views := "${schema}".storage_views_over(old_oid);
    ALTER TABLE "${schema}".outbox_event RENAME TO outbox_event_before;
    DROP TRIGGER IF EXISTS outbox_event_copy_key ON "${schema}".outbox_event_before;
    ALTER TABLE "${schema}".outbox_event_before ALTER COLUMN sequence DROP IDENTITY;
    ALTER TABLE "${schema}".outbox_event_before DROP CONSTRAINT outbox_event_deduplication;
    ALTER TABLE "${schema}".outbox_event_before RENAME CONSTRAINT outbox_event_pkey TO outbox_event_before_pkey;

    -- Identity columns of partitioned tables need PostgreSQL 17.
    CREATE SEQUENCE "${schema}".outbox_event_sequence_seq AS bigint;
    PERFORM setval('"${schema}".outbox_event_sequence_seq', greatest(last_sequence, 1), last_sequence >= 1);
    CREATE TABLE "${schema}".outbox_event (
        LIKE "${schema}".outbox_event_before
            INCLUDING CONSTRAINTS INCLUDING COMMENTS INCLUDING STORAGE INCLUDING COMPRESSION
    ) PARTITION BY LIST (status);
    COMMENT ON TABLE "${schema}".outbox_event IS
        'Messages to send, written in the transaction of their effect, and those that were sent not long ago, in partitions';
    ALTER TABLE "${schema}".outbox_event
        ALTER COLUMN sequence SET DEFAULT nextval('"${schema}".outbox_event_sequence_seq');
    ALTER SEQUENCE "${schema}".outbox_event_sequence_seq OWNED BY "${schema}".outbox_event.sequence;
    PERFORM "${schema}".storage_take_over_rights(old_oid, '"${schema}".outbox_event'::regclass);

    FOREACH view IN ARRAY views LOOP
        EXECUTE view;
    END LOOP;

    CREATE TABLE "${schema}".outbox_event_open PARTITION OF "${schema}".outbox_event (
        CONSTRAINT outbox_event_open_pkey PRIMARY KEY (message_id)
    ) FOR VALUES IN ('pending', 'dead') WITH (
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_insert_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.05
    );
    CREATE INDEX outbox_event_open_due ON "${schema}".outbox_event_open (lane, next_attempt_at, sequence)
        WHERE status = 'pending';
    CREATE INDEX outbox_event_open_order ON "${schema}".outbox_event_open (ordering_key, sequence) INCLUDE (next_attempt_at)
        WHERE status = 'pending' AND ordering_key IS NOT NULL;
    CREATE INDEX outbox_event_open_dead ON "${schema}".outbox_event_open (sequence)
        WHERE status = 'dead';

    CREATE TABLE "${schema}".outbox_event_sent PARTITION OF "${schema}".outbox_event
        FOR VALUES IN ('sent') PARTITION BY RANGE (expires_at);
    IF border IS NOT NULL THEN
        EXECUTE format('CREATE TABLE "${schema}".outbox_event_sent_first PARTITION OF "${schema}".outbox_event_sent (
            CONSTRAINT outbox_event_sent_first_pkey PRIMARY KEY (message_id)
        ) FOR VALUES FROM (MINVALUE) TO (%L)', border);
        EXECUTE format('CREATE TABLE "${schema}".outbox_event_sent_rest PARTITION OF "${schema}".outbox_event_sent (
            CONSTRAINT outbox_event_sent_rest_pkey PRIMARY KEY (message_id)
        ) FOR VALUES FROM (%L) TO (MAXVALUE)', border);
    ELSE
        CREATE TABLE "${schema}".outbox_event_sent_rest PARTITION OF "${schema}".outbox_event_sent (
            CONSTRAINT outbox_event_sent_rest_pkey PRIMARY KEY (message_id)
        ) FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
    END IF;

    IF kept THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_attribute
        WHERE attrelid = '"${schema}".outbox_event'::regclass AND attnum > 0 AND NOT attisdropped;
        -- By the indexes of what waits and of what is dead, because everything waits for this.
        FOREACH moved IN ARRAY ARRAY['pending', 'dead'] LOOP
            EXECUTE format('INSERT INTO "${schema}".outbox_event (%1$s)
                SELECT %1$s FROM "${schema}".outbox_event_before WHERE status = %2$L', columns, moved);
            EXECUTE format('DELETE FROM "${schema}".outbox_event_before WHERE status = %L', moved);
        END LOOP;
        IF border IS NULL THEN
            DROP TABLE "${schema}".outbox_event_before;
        ELSE
            DROP INDEX "${schema}".outbox_event_due, "${schema}".outbox_event_order, "${schema}".outbox_event_dead,
                "${schema}".outbox_event_expires_at;
            -- Checked later without an exclusive lock, because publishers look for their keys there.
            EXECUTE format('ALTER TABLE "${schema}".outbox_event_before ADD CONSTRAINT outbox_event_leaf CHECK (
                status IS NOT NULL AND status = ''sent'' AND expires_at IS NOT NULL AND expires_at < %L) NOT VALID', border);
        END IF;
    ELSE
        TRUNCATE "${schema}".outbox_deduplication;
        DROP TABLE "${schema}".outbox_event_before;
    END IF;

    CREATE TRIGGER outbox_event_take_key BEFORE INSERT ON "${schema}".outbox_event
        FOR EACH ROW WHEN (NEW.deduplication_key IS NOT NULL)
        EXECUTE FUNCTION "${schema}".outbox_event_take_key();
    CREATE TRIGGER outbox_event_change_key BEFORE UPDATE OF topic, deduplication_key ON "${schema}".outbox_event
        FOR EACH ROW WHEN ((NEW.topic, NEW.deduplication_key) IS DISTINCT FROM (OLD.topic, OLD.deduplication_key))
        EXECUTE FUNCTION "${schema}".outbox_event_change_key();
    CREATE OR REPLACE FUNCTION "${schema}".outbox_message_of(
        wanted_topic text, wanted_key text, new_type text, new_payload json, OUT message_id uuid, OUT is_same boolean)
        LANGUAGE plpgsql VOLATILE
        SET search_path = pg_catalog, pg_temp
        AS $find$
    DECLARE
        earlier record;
    BEGIN
        SELECT d.message_id INTO outbox_message_of.message_id
        FROM "${schema}".outbox_deduplication AS d
        WHERE d.topic = wanted_topic AND d.deduplication_key = wanted_key;
        SELECT m.message_type, m.payload INTO earlier
        FROM "${schema}".outbox_event AS m
        WHERE m.message_id = outbox_message_of.message_id;
        IF NOT FOUND AND to_regclass('"${schema}".outbox_event_before') IS NOT NULL THEN
            EXECUTE 'SELECT m.message_type, m.payload FROM "${schema}".outbox_event_before AS m WHERE m.message_id = $1'
                INTO earlier USING outbox_message_of.message_id;
        END IF;
        -- Null if the message has gone meanwhile, and its key is free.
        is_same := earlier.message_type = new_type AND CASE
            WHEN earlier.payload::text = new_payload::text THEN true
            ELSE earlier.payload::jsonb = new_payload::jsonb
        END;
    END
    $find$;

    -- Like an identity column, which needs no right of its own: that to insert decides, for roles that come later too.
    GRANT USAGE ON SEQUENCE "${schema}".outbox_event_sequence_seq TO PUBLIC;
    PERFORM set_config('role', role_before, true);
    -- Whoever listens does so in a channel that is named after the table that was.
    PERFORM pg_notify('idempotency_outbox_' || old_oid, 'moved');
    RETURN true;
END
$$;

-- Reads what was sent before outbox_event was partitioned, and keeps nobody waiting.
CREATE FUNCTION "${schema}".check_outbox_event_before() RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '1s'
    SET datestyle = 'ISO'
    AS $$
BEGIN
    IF to_regclass('"${schema}".outbox_event_before') IS NOT NULL THEN
        ALTER TABLE "${schema}".outbox_event_before VALIDATE CONSTRAINT outbox_event_leaf;
    END IF;
END
$$;

-- Makes what was sent before outbox_event was partitioned its first partition, in one short transaction.
CREATE FUNCTION "${schema}".attach_outbox_event_before() RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '1s'
    SET datestyle = 'ISO'
    AS $$
DECLARE
    border  text;
    columns text;
BEGIN
    IF to_regclass('"${schema}".outbox_event_before') IS NULL THEN
        RETURN;
    END IF;
    IF NOT EXISTS (
            SELECT FROM pg_constraint
            WHERE conrelid = to_regclass('"${schema}".outbox_event_before') AND conname = 'outbox_event_leaf'
                AND convalidated) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'outbox_event_before was not checked',
            HINT = 'SELECT "${schema}".check_outbox_event_before()';
    END IF;
    LOCK TABLE ONLY "${schema}".outbox_event_sent IN ACCESS EXCLUSIVE MODE;
    SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \(''(.*)''\)') INTO border
    FROM pg_class
    WHERE oid = '"${schema}".outbox_event_sent_first'::regclass;
    ALTER TABLE "${schema}".outbox_event_sent DETACH PARTITION "${schema}".outbox_event_sent_first;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
    FROM pg_attribute
    WHERE attrelid = '"${schema}".outbox_event'::regclass AND attnum > 0 AND NOT attisdropped;
    -- Only where the retention has become shorter meanwhile.
    EXECUTE format('INSERT INTO "${schema}".outbox_event_before (%1$s)
        SELECT %1$s FROM "${schema}".outbox_event_sent_first', columns);
    DROP TABLE "${schema}".outbox_event_sent_first;
    ALTER TABLE "${schema}".outbox_event_before RENAME TO outbox_event_sent_first;
    ALTER TABLE "${schema}".outbox_event_sent_first
        RENAME CONSTRAINT outbox_event_before_pkey TO outbox_event_sent_first_pkey;
    EXECUTE format('ALTER TABLE "${schema}".outbox_event_sent ATTACH PARTITION "${schema}".outbox_event_sent_first
        FOR VALUES FROM (MINVALUE) TO (%L)', border);
    ALTER TABLE "${schema}".outbox_event_sent_first DROP CONSTRAINT outbox_event_leaf;
    INSERT INTO "${schema}".storage_partition (parent, leaf, starts_at, ends_at, expires_at)
    VALUES ('outbox_event_sent', 'outbox_event_sent_first', '-infinity', border::timestamptz,
        border::timestamptz + interval '1 day');
END
$$;

-- An empty table that can become a partition, with the key and the owner that the others have.
CREATE FUNCTION "${schema}".make_partition_by_expiry(parent text, leaf text) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    EXECUTE format('CREATE TABLE "${schema}".%1$I (LIKE "${schema}".%2$I INCLUDING DEFAULTS INCLUDING CONSTRAINTS'
            || ' INCLUDING STORAGE INCLUDING COMPRESSION, CONSTRAINT %3$I %4$s)', leaf, parent, leaf || '_pkey', (
        SELECT pg_get_constraintdef(oid)
        FROM pg_constraint
        WHERE conrelid = format('"${schema}".%I', parent || '_rest')::regclass AND contype = 'p'));
    -- Whoever may act for the owner must not own what the owner has to drop.
    EXECUTE format('ALTER TABLE "${schema}".%I OWNER TO %I', leaf, (
        SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = format('"${schema}".%I', parent)::regclass));
END
$$;

-- Puts partitions before the last one, which takes what expires later than any of them. The first border is where that begins,
-- -infinity if it is the first partition too. If it holds rows, those are between two of the borders: it becomes that
-- partition, and another one takes its place. Whoever writes to the table or reads it waits while it is read for that, and
-- otherwise for moments: what can be made before is made before.
CREATE FUNCTION "${schema}".add_partitions_by_expiry(
    parent text, borders timestamptz[], holds_from timestamptz, has_keys boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO'
    AS $$
#variable_conflict use_variable
DECLARE
    rest      CONSTANT text := parent || '_rest';
    next_rest CONSTANT text := parent || '_next_rest';
    leaves    text[];
    holds     boolean;
    begins    timestamptz;
BEGIN
    FOR i IN 1 .. cardinality(borders) - 1 LOOP
        leaves[i] := CASE WHEN borders[i] = '-infinity' THEN parent || '_first'
            ELSE "${schema}".storage_partition_name(parent, borders[i]) END;
        IF borders[i] IS DISTINCT FROM holds_from THEN
            PERFORM "${schema}".make_partition_by_expiry(parent, leaves[i]);
        END IF;
    END LOOP;
    IF holds_from IS NOT NULL THEN
        PERFORM "${schema}".make_partition_by_expiry(parent, next_rest);
    END IF;

    EXECUTE format('LOCK TABLE ONLY "${schema}".%I IN ACCESS EXCLUSIVE MODE', parent);
    SELECT coalesce(substring(pg_get_expr(relpartbound, oid) FROM 'FROM \(''(.*)''\) TO')::timestamptz, '-infinity')
    INTO begins
    FROM pg_class
    WHERE oid = format('"${schema}".%I', rest)::regclass;
    EXECUTE format('SELECT EXISTS (SELECT FROM "${schema}".%I)', rest) INTO holds;
    IF begins <> borders[1] OR holds AND holds_from IS NULL THEN
        RAISE lock_not_available USING MESSAGE = format('%s has changed meanwhile', rest);
    END IF;
    EXECUTE format('ALTER TABLE "${schema}".%I DETACH PARTITION "${schema}".%I', parent, rest);
    FOR i IN 1 .. cardinality(borders) - 1 LOOP
        IF borders[i] = holds_from THEN
            EXECUTE format('ALTER TABLE "${schema}".%I RENAME TO %I', rest, leaves[i]);
            EXECUTE format('ALTER TABLE "${schema}".%I RENAME CONSTRAINT %I TO %I',
                leaves[i], rest || '_pkey', leaves[i] || '_pkey');
            EXECUTE format('ALTER TABLE "${schema}".%I RENAME TO %I', next_rest, rest);
            EXECUTE format('ALTER TABLE "${schema}".%I RENAME CONSTRAINT %I TO %I',
                rest, next_rest || '_pkey', rest || '_pkey');
        END IF;
        BEGIN
            EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (%s) TO (%L)',
                parent, leaves[i], CASE WHEN borders[i] = '-infinity' THEN 'MINVALUE' ELSE quote_literal(borders[i]) END,
                borders[i + 1]);
        EXCEPTION WHEN check_violation THEN
            -- As if the lock had not been to be had: what came meanwhile makes other borders.
            RAISE lock_not_available USING MESSAGE = format('%s has changed meanwhile', rest);
        END;
        -- A day later than need be, in case that the clock jumps back.
        INSERT INTO "${schema}".storage_partition (parent, leaf, starts_at, ends_at, sealed_at, expires_at)
        VALUES (parent, leaves[i], borders[i], borders[i + 1],
            CASE WHEN NOT has_keys THEN borders[i + 1] END, borders[i + 1] + interval '1 day');
    END LOOP;
    EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (%L) TO (MAXVALUE)',
        parent, rest, borders[cardinality(borders)]);
END
$$;

-- Makes a partition for what expires before all that are left, which fails otherwise: a clock may be set back, or somebody come
-- to his end after days. It goes together with the one behind it. If only the last one is left, that gets no beginning.
CREATE FUNCTION "${schema}".add_partition_before_all(parent text, has_keys boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO'
    AS $$
#variable_conflict use_variable
DECLARE
    rest   CONSTANT text := parent || '_rest';
    first  text;
    begins timestamptz;
    leaf   text;
    holds  boolean;
BEGIN
    SELECT p.relname, substring(pg_get_expr(p.relpartbound, p.oid) FROM 'FROM \(''(.*)''\) TO')::timestamptz
    INTO first, begins
    FROM pg_inherits AS i
    JOIN pg_class AS p ON p.oid = i.inhrelid
    WHERE i.inhparent = format('"${schema}".%I', parent)::regclass
    ORDER BY 2 NULLS FIRST
    LIMIT 1;
    IF begins IS NULL THEN
        RETURN true;
    END IF;
    IF first = rest THEN
        EXECUTE format('LOCK TABLE ONLY "${schema}".%I IN ACCESS EXCLUSIVE MODE', parent);
        EXECUTE format('SELECT EXISTS (SELECT FROM "${schema}".%I)', rest) INTO holds;
        IF holds THEN
            RETURN false;
        END IF;
        EXECUTE format('ALTER TABLE "${schema}".%I DETACH PARTITION "${schema}".%I', parent, rest);
        EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (MINVALUE) TO (MAXVALUE)',
            parent, rest);
        RETURN true;
    END IF;
    leaf := "${schema}".storage_partition_name(parent || '_before', begins);
    PERFORM "${schema}".make_partition_by_expiry(parent, leaf);
    -- Nobody waits for this.
    EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (MINVALUE) TO (%L)',
        parent, leaf, begins);
    INSERT INTO "${schema}".storage_partition (parent, leaf, starts_at, ends_at, sealed_at, expires_at)
    VALUES (parent, leaf, '-infinity', begins, CASE WHEN NOT has_keys THEN begins END, (
        SELECT min(p.expires_at)
        FROM "${schema}".storage_partition AS p
        WHERE p.parent = parent AND p.starts_at >= begins));
    RETURN true;
END
$$;

-- The name itself, unless somebody has detached the partition that had it; that may hold rows.
CREATE FUNCTION "${schema}".free_partition_name(wanted text) RETURNS text
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    name   text := wanted;
    number integer := 1;
BEGIN
    WHILE to_regclass(format('"${schema}".%I', name)) IS NOT NULL LOOP
        number := number + 1;
        name := wanted || '_' || number;
    END LOOP;
    RETURN name;
END
$$;

-- Puts an empty partition where one is missing between two others, for example because somebody has dropped it: what expires
-- there fails otherwise. Nobody waits for this.
CREATE FUNCTION "${schema}".add_partition_between(
    parent text, starts_at timestamptz, ends_at timestamptz, has_keys boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO'
    AS $$
#variable_conflict use_variable
DECLARE
    leaf    CONSTANT text := "${schema}".free_partition_name(
        "${schema}".storage_partition_name(parent || '_gap', starts_at));
    sealed  timestamptz := ends_at;
    expires timestamptz := ends_at + interval '1 day';
BEGIN
    DELETE FROM "${schema}".storage_partition AS p
    WHERE p.parent = parent AND p.starts_at >= starts_at AND p.ends_at <= ends_at
        AND to_regclass(format('"${schema}".%I', p.leaf)) IS NULL;
    -- In the past it goes together with the one behind it: if it went before that, there would be a gap again.
    IF expires < clock_timestamp() THEN
        SELECT greatest(p.sealed_at, ends_at), p.expires_at
        INTO sealed, expires
        FROM "${schema}".storage_partition AS p
        WHERE p.parent = parent AND p.starts_at >= ends_at
        ORDER BY p.starts_at
        LIMIT 1;
        IF NOT FOUND THEN
            sealed := ends_at;
            expires := clock_timestamp() + interval '1 day';
        END IF;
    END IF;
    PERFORM "${schema}".make_partition_by_expiry(parent, leaf);
    EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (%L) TO (%L)',
        parent, leaf, starts_at, ends_at);
    INSERT INTO "${schema}".storage_partition (parent, leaf, starts_at, ends_at, sealed_at, expires_at)
    VALUES (parent, leaf, starts_at, ends_at, CASE WHEN NOT has_keys THEN sealed END, expires);
END
$$;

-- Divides an empty partition at these borders, of which the first and the last are its own. It becomes the first of the new
-- ones. Whoever writes to the table or reads it waits for moments.
CREATE FUNCTION "${schema}".divide_partition_by_expiry(
    parent text, leaf text, borders timestamptz[], has_keys boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO'
    AS $$
#variable_conflict use_variable
DECLARE
    leaves text[] := ARRAY[leaf];
    holds  boolean;
BEGIN
    FOR i IN 2 .. cardinality(borders) - 1 LOOP
        leaves[i] := "${schema}".free_partition_name("${schema}".storage_partition_name(parent, borders[i]));
        PERFORM "${schema}".make_partition_by_expiry(parent, leaves[i]);
    END LOOP;

    EXECUTE format('LOCK TABLE ONLY "${schema}".%I IN ACCESS EXCLUSIVE MODE', parent);
    EXECUTE format('ALTER TABLE "${schema}".%I DETACH PARTITION "${schema}".%I', parent, leaf);
    EXECUTE format('SELECT EXISTS (SELECT FROM "${schema}".%I)', leaf) INTO holds;
    DELETE FROM "${schema}".storage_partition AS p
    WHERE p.leaf = leaf AND p.starts_at = borders[1] AND p.ends_at = borders[cardinality(borders)];
    IF holds OR NOT FOUND THEN
        RAISE lock_not_available USING MESSAGE = format('%s has changed meanwhile', leaf);
    END IF;
    FOR i IN 1 .. cardinality(borders) - 1 LOOP
        EXECUTE format('ALTER TABLE "${schema}".%I ATTACH PARTITION "${schema}".%I FOR VALUES FROM (%L) TO (%L)',
            parent, leaves[i], borders[i], borders[i + 1]);
        INSERT INTO "${schema}".storage_partition (parent, leaf, starts_at, ends_at, sealed_at, expires_at)
        VALUES (parent, leaves[i], borders[i], borders[i + 1],
            CASE WHEN NOT has_keys THEN borders[i + 1] END, borders[i + 1] + interval '1 day');
    END LOOP;
END
$$;
