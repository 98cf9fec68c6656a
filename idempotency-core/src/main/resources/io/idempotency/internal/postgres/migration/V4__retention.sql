-- Who purges; and handled messages in partitions by the time at which they were stored, for whoever wants that. Until
-- partition_processed_message is called, processed_message stays the table that it is.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

CREATE TABLE "${schema}".purge_turn (
    one_row    boolean     NOT NULL DEFAULT true,
    run_id     uuid        NOT NULL,
    held_by    text        NOT NULL,
    started_at timestamptz NOT NULL,
    held_until timestamptz NOT NULL,
    CONSTRAINT purge_turn_pkey PRIMARY KEY (one_row),
    CONSTRAINT purge_turn_one_row CHECK (one_row)
) WITH (
    -- Written after every batch: room for versions that the next writer clears away.
    fillfactor = 10
);

COMMENT ON TABLE "${schema}".purge_turn IS
    'Which run of the purge has its turn, of all instances; another one may take it after held_until';

CREATE TABLE "${schema}".processed_message_partition (
    name       text COLLATE "C" NOT NULL,
    starts_at  timestamptz      NOT NULL,
    ends_at    timestamptz      NOT NULL,
    closed_at  timestamptz,
    expires_at timestamptz,
    CONSTRAINT processed_message_partition_pkey PRIMARY KEY (name)
);

COMMENT ON TABLE "${schema}".processed_message_partition IS
    'The partitions of processed_message that the maintenance has made; it looks after no others';
COMMENT ON COLUMN "${schema}".processed_message_partition.closed_at IS
    'Since when nothing is added to it any more, where that ends before the partition is forgotten';
COMMENT ON COLUMN "${schema}".processed_message_partition.expires_at IS
    'When the last of its rows expires; known some time after it was closed';

-- Written once for each partition, read with each message. Before there are partitions it leads into the first one, which is
-- closed from the beginning: so an older snapshot is told to try again.
CREATE TABLE "${schema}".processed_message_head (
    one_row    boolean     NOT NULL DEFAULT true,
    open_from  timestamptz NOT NULL,
    open_until timestamptz NOT NULL,
    CONSTRAINT processed_message_head_pkey PRIMARY KEY (one_row),
    CONSTRAINT processed_message_head_one_row CHECK (one_row)
);

INSERT INTO "${schema}".processed_message_head (open_from, open_until) VALUES ('-infinity', '-infinity');

COMMENT ON TABLE "${schema}".processed_message_head IS
    'The one partition of processed_message that rows are added to';

-- What a message must not be among, besides those of the partition that it is added to. Nothing where there are no partitions.
CREATE VIEW "${schema}".processed_message_earlier AS
    SELECT ''::varchar(128) COLLATE "C" AS consumer, ''::varchar(255) COLLATE "C" AS message_id
    WHERE false;

COMMENT ON VIEW "${schema}".processed_message_earlier IS
    'Messages in the closed partitions of processed_message';

-- Into the open partition, however late it is: a row that is late is found, a row without a partition is an error.
-- STABLE although a clock is in it, because the statement's own snapshot has to say which partition is open: a later one could
-- show that the bound was moved, while the statement looked for earlier messages before that.
CREATE FUNCTION "${schema}".processed_message_store_time() RETURNS timestamptz
    LANGUAGE sql STABLE
    RETURN (
        SELECT greatest(head.open_from, least(clock_timestamp(), head.open_until - interval '1 microsecond'))
        FROM "${schema}".processed_message_head AS head);

-- Whatever the default privileges are: who stores a message needs it.
GRANT EXECUTE ON FUNCTION "${schema}".processed_message_store_time() TO PUBLIC;

CREATE FUNCTION "${schema}".processed_message_look() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT
        FROM "${schema}".processed_message_earlier AS earlier
        WHERE earlier.consumer = NEW.consumer AND earlier.message_id = NEW.message_id) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

-- Stores a batch of messages and returns the ids of those that are repeats. Where all are new, as nearly always, none is
-- looked for before it is written, as ON CONFLICT would. Otherwise that is rolled back, with its locks, and the same written
-- again with ON CONFLICT: an error within the function only, which the server does not log. Sorted, because two batches that
-- take the same ids in different orders would lock each other out, and as the index is, so that neighbours are written one
-- after the other. Both statements have to look for the same. Without a SET clause, which would hold for triggers that others
-- have made, too.
CREATE FUNCTION "${schema}".processed_message_store(receiver text, message_ids text[], retention interval)
    RETURNS SETOF text
    LANGUAGE plpgsql AS $$
DECLARE
    stored_count bigint;
BEGIN
    INSERT INTO "${schema}".processed_message (consumer, message_id, processed_at, expires_at)
    SELECT receiver, delivered.id, clock_timestamp(), clock_timestamp() + retention
    FROM pg_catalog.unnest(message_ids) AS delivered (id)
    WHERE (
        SELECT true
        FROM "${schema}".processed_message_earlier AS earlier
        WHERE (earlier.consumer, earlier.message_id) OPERATOR(pg_catalog.=) (receiver, delivered.id)
        LIMIT 1) IS NULL
    ORDER BY delivered.id COLLATE "C";
    GET DIAGNOSTICS stored_count = ROW_COUNT;
    IF stored_count < pg_catalog.cardinality(message_ids) THEN
        RAISE unique_violation;
    END IF;
EXCEPTION
    WHEN unique_violation THEN
        RETURN QUERY
        WITH stored AS (
            INSERT INTO "${schema}".processed_message (consumer, message_id, processed_at, expires_at)
            SELECT receiver, delivered.id, clock_timestamp(), clock_timestamp() + retention
            FROM pg_catalog.unnest(message_ids) AS delivered (id)
            WHERE (
                SELECT true
                FROM "${schema}".processed_message_earlier AS earlier
                WHERE (earlier.consumer, earlier.message_id) OPERATOR(pg_catalog.=) (receiver, delivered.id)
                LIMIT 1) IS NULL
            ORDER BY delivered.id COLLATE "C"
            ON CONFLICT DO NOTHING
            RETURNING message_id)
        SELECT delivered.id
        FROM pg_catalog.unnest(message_ids) AS delivered (id)
        WHERE NOT delivered.id COLLATE "C" OPERATOR(pg_catalog.=) ANY (SELECT stored.message_id FROM stored);
END
$$;

-- Whatever the default privileges are: who stores a message needs it.
GRANT EXECUTE ON FUNCTION "${schema}".processed_message_store(text, text[], interval) TO PUBLIC;

CREATE FUNCTION "${schema}".processed_message_refuse() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the partition % was closed before the message could be stored', TG_TABLE_NAME
        USING ERRCODE = 'serialization_failure', HINT = 'Repeat the transaction.';
END
$$;

-- The name of a partition tells when it begins, in UTC.
CREATE FUNCTION "${schema}".processed_message_partition_name(prefix text, starts_at timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN prefix || '_' || CASE
        WHEN starts_at = date_trunc('day', starts_at, 'UTC') THEN to_char(starts_at AT TIME ZONE 'UTC', 'YYYYMMDD')
        ELSE to_char(starts_at AT TIME ZONE 'UTC', 'YYYYMMDD_HH24MISS') END;

-- Statements that make the views over a table anew. Views follow a table that is renamed, and not its name. Refused before
-- anything is changed, because a view that still shows the old table would be wrong and no error.
CREATE FUNCTION "${schema}".storage_views_over(read regclass) RETURNS text[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found      record;
    statements text[] := '{}';
BEGIN
    FOR found IN
        SELECT DISTINCT v.oid::regclass AS view, v.relkind, v.relowner, v.reloptions
        FROM pg_depend AS d
        JOIN pg_rewrite AS r ON r.oid = d.objid
        JOIN pg_class AS v ON v.oid = r.ev_class AND v.relkind IN ('v', 'm')
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = read
    LOOP
        IF found.relkind = 'm' THEN
            RAISE EXCEPTION 'the materialized view % over % would go on with the old table', found.view, read
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Drop it and create it again afterwards.';
        END IF;
        IF NOT pg_has_role(found.relowner, 'USAGE') THEN
            RAISE EXCEPTION 'the view % over % belongs to %, so that % cannot make it anew over the new table',
                found.view, read, pg_get_userbyid(found.relowner), current_user
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Drop the view and create it again afterwards, or give it to the owner of the table.';
        END IF;
        statements := statements || format('CREATE OR REPLACE VIEW %s%s AS %s', found.view,
            coalesce(' WITH (' || array_to_string(found.reloptions, ', ') || ')', ''), pg_get_viewdef(found.view));
    END LOOP;
    RETURN statements;
END
$$;

-- Partitions would show and take everything, and a table whose policies hold for its owner too looks empty to him.
CREATE FUNCTION "${schema}".storage_refuse_policies(of_table regclass) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT relrowsecurity FROM pg_class WHERE oid = of_table)
        OR EXISTS (SELECT FROM pg_policy WHERE polrelid = of_table) THEN
        RAISE EXCEPTION '% has row level security, which the new table would not have',
            (SELECT relname FROM pg_class WHERE oid = of_table)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Disable it and drop its policies, and make them again for the new table, in the same transaction. '
                    || 'Never with FORCE, which hides rows from the library where its role owns the table.';
    END IF;
END
$$;

-- Gives a table the rights to another one, those to columns too. What default privileges have given it would be rights that
-- nobody has meant for the other one, or that were revoked there.
CREATE FUNCTION "${schema}".storage_take_over_rights(from_table regclass, to_table regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    granted record;
BEGIN
    FOR granted IN
        SELECT DISTINCT CASE WHEN acl.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END AS grantee
        FROM pg_class AS t, aclexplode(t.relacl) AS acl
        WHERE t.oid = to_table AND acl.grantee <> t.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s', to_table, granted.grantee);
    END LOOP;
    FOR granted IN
        SELECT acl.privilege_type || rights.of_column AS privilege, acl.is_grantable,
            CASE WHEN acl.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END AS grantee
        FROM (
            SELECT '' AS of_column, relacl FROM pg_class WHERE oid = from_table
            UNION ALL
            SELECT format(' (%I)', attname), attacl
            FROM pg_attribute
            WHERE attrelid = from_table AND attacl IS NOT NULL AND NOT attisdropped) AS rights,
            aclexplode(rights.relacl) AS acl
        WHERE acl.grantee <> (SELECT relowner FROM pg_class WHERE oid = from_table)
    LOOP
        EXECUTE format('GRANT %s ON %s TO %s', granted.privilege, to_table, granted.grantee)
            || CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END;
    END LOOP;
END
$$;

-- Made apart and then attached: so nobody who stores messages waits.
CREATE FUNCTION "${schema}".add_processed_message_partition(starts_at timestamptz, ends_at timestamptz) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
    partition_name text := "${schema}".processed_message_partition_name('processed_message', starts_at);
BEGIN
    EXECUTE format('CREATE TABLE "${schema}".%I (LIKE "${schema}".processed_message INCLUDING DEFAULTS) WITH ('
        || 'autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)', partition_name);
    -- A primary key and not only unique, because a publication refuses to delete from a table without one.
    EXECUTE format('ALTER TABLE "${schema}".%I ADD CONSTRAINT %I PRIMARY KEY (message_id, consumer)',
        partition_name, partition_name || '_key');
    -- Whoever may act for the owner must not own what the owner has to close.
    EXECUTE format('ALTER TABLE "${schema}".%I OWNER TO %I', partition_name, (
        SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = '"${schema}".processed_message'::regclass));
    EXECUTE format('ALTER TABLE "${schema}".processed_message ATTACH PARTITION "${schema}".%I FOR VALUES FROM (%L) TO (%L)',
        partition_name, starts_at, ends_at);
    INSERT INTO "${schema}".processed_message_partition (name, starts_at, ends_at)
    VALUES (partition_name, starts_at, ends_at);
    RETURN partition_name;
END
$$;

-- Under an exclusive lock, but only for moments: the rows stay where they are, in what becomes the first partition.
CREATE FUNCTION "${schema}".partition_processed_message(open_from timestamptz, open_until timestamptz) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
#variable_conflict use_variable
DECLARE
    old   regclass;
    first text := "${schema}".processed_message_partition_name('processed_message_before', open_from);
    views text[];
    view  text;
BEGIN
    IF open_from >= open_until THEN
        RAISE EXCEPTION 'a partition from % to % would be empty', open_from, open_until
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOCK TABLE "${schema}".processed_message IN ACCESS EXCLUSIVE MODE;
    old := '"${schema}".processed_message'::regclass;
    IF (SELECT relkind = 'p' FROM pg_class WHERE oid = old) THEN
        RETURN false;
    END IF;
    IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = old) THEN
        RAISE EXCEPTION 'must be owner of table processed_message' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM "${schema}".storage_refuse_policies(old);
    views := "${schema}".storage_views_over(old);
    IF NOT EXISTS (
        SELECT FROM pg_constraint
        WHERE conrelid = old AND conname = 'processed_message_before_partitions' AND convalidated) THEN
        IF EXISTS (SELECT FROM "${schema}".processed_message) THEN
            RAISE EXCEPTION 'processed_message holds rows and is not prepared for partitions'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Add its column stored_at and validate the constraint processed_message_before_partitions first.';
        END IF;
        ALTER TABLE "${schema}".processed_message
            DROP CONSTRAINT IF EXISTS processed_message_before_partitions,
            ADD COLUMN IF NOT EXISTS stored_at timestamptz NOT NULL DEFAULT '-infinity',
            ADD CONSTRAINT processed_message_before_partitions CHECK (stored_at = '-infinity');
    END IF;

    EXECUTE format('ALTER TABLE "${schema}".processed_message RENAME TO %I', first);
    EXECUTE format('ALTER INDEX IF EXISTS "${schema}".processed_message_pkey RENAME TO %I', first || '_key');
    EXECUTE format('ALTER INDEX IF EXISTS "${schema}".processed_message_expires_at RENAME TO %I', first || '_expires_at');
    EXECUTE format('CREATE TABLE "${schema}".processed_message (LIKE "${schema}".%I) PARTITION BY RANGE (stored_at)', first);
    ALTER TABLE "${schema}".processed_message
        ALTER COLUMN stored_at SET DEFAULT "${schema}".processed_message_store_time();
    COMMENT ON TABLE "${schema}".processed_message IS
        'Messages that a consumer has handled, written in the transaction of their effect';
    EXECUTE format('ALTER TABLE "${schema}".processed_message OWNER TO %I',
        (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = old));
    PERFORM "${schema}".storage_take_over_rights(old, '"${schema}".processed_message'::regclass);

    EXECUTE format('ALTER TABLE "${schema}".processed_message ATTACH PARTITION "${schema}".%I'
        || ' FOR VALUES FROM (MINVALUE) TO (%L)', first, open_from);
    EXECUTE format('ALTER TABLE "${schema}".%I DROP CONSTRAINT processed_message_before_partitions', first);
    INSERT INTO "${schema}".processed_message_partition (name, starts_at, ends_at, closed_at)
    VALUES (first, '-infinity', open_from, clock_timestamp());
    EXECUTE format('CREATE TRIGGER closed BEFORE INSERT ON "${schema}".%I FOR EACH ROW'
        || ' EXECUTE FUNCTION "${schema}".processed_message_refuse()', first);
    PERFORM "${schema}".add_processed_message_partition(open_from, open_until);

    -- Whose statement has looked for all of its messages at once says so.
    CREATE TRIGGER look BEFORE INSERT ON "${schema}".processed_message FOR EACH ROW
        WHEN (pg_catalog.current_setting('idempotency.looked', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION "${schema}".processed_message_look();
    CREATE OR REPLACE VIEW "${schema}".processed_message_earlier AS
        SELECT message.consumer, message.message_id
        FROM "${schema}".processed_message AS message
        WHERE message.stored_at < (SELECT head.open_from FROM "${schema}".processed_message_head AS head);
    FOREACH view IN ARRAY views LOOP
        EXECUTE view;
    END LOOP;
    UPDATE "${schema}".processed_message_head AS head SET open_from = open_from, open_until = open_until;
    RETURN true;
END
$$;
