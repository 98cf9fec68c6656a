-- Handled messages in partitions by the time at which they were stored. Until partition_processed_message is called,
-- processed_message stays the table that it is. The migrations of the messages come before.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

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

-- Written once for each partition, read with each message. Before there are partitions it leads to the first one,
-- which is closed from the beginning: so a transaction with an older snapshot is refused, and tries again.
CREATE TABLE "${schema}".processed_message_head (
    one_row    boolean     NOT NULL DEFAULT true,
    open_from  timestamptz NOT NULL,
    open_until timestamptz NOT NULL,
    CONSTRAINT processed_message_head_pkey PRIMARY KEY (one_row),
    CONSTRAINT processed_message_head_one_row CHECK (one_row)
);
COMMENT ON TABLE "${schema}".processed_message_head IS
    'The one partition of processed_message that rows are added to';

INSERT INTO "${schema}".processed_message_head (open_from, open_until) VALUES ('-infinity', '-infinity');

-- A message goes into the open partition, however late it is: a late row is found, a row without a partition is an
-- error. The function is STABLE in spite of the clock, because the statement's own snapshot has to say which partition
-- is open: a later one could show a bound that was moved after the statement had searched the earlier messages.
CREATE FUNCTION "${schema}".processed_message_store_time() RETURNS timestamptz
    LANGUAGE sql STABLE
    RETURN (
        SELECT greatest(head.open_from, least(clock_timestamp(), head.open_until - interval '1 microsecond'))
        FROM "${schema}".processed_message_head AS head);

-- Every role that stores a message needs it, and default privileges may withhold it.
GRANT EXECUTE ON FUNCTION "${schema}".processed_message_store_time() TO PUBLIC;

CREATE FUNCTION "${schema}".processed_message_skip_duplicate() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM "${schema}".processed_message_earlier AS earlier
    WHERE earlier.consumer = NEW.consumer AND earlier.message_id = NEW.message_id;
    IF FOUND THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

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

-- Returns statements that create the views over a table again: views follow a table that is renamed, and not its name.
-- What cannot be created again is refused before anything is changed, because a view that still shows the old table is
-- no error.
CREATE FUNCTION "${schema}".storage_views_over(read regclass) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found      record;
    statements text := '';
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
        ELSIF NOT pg_has_role(found.relowner, 'USAGE') THEN
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

-- Grants the privileges on a table for another one, those on columns too. What default privileges have granted on the
-- other one is revoked before: nobody has meant that, or it was revoked from the first table.
CREATE FUNCTION "${schema}".storage_take_over_rights(from_table regclass, to_table regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE coalesce((
        SELECT string_agg(format('REVOKE ALL ON %s FROM %s', to_table,
            coalesce(nullif(acl.grantee, 0)::regrole::text, 'PUBLIC')), ';')
        FROM pg_class AS t, aclexplode(t.relacl) AS acl
        WHERE t.oid = to_table AND acl.grantee <> t.relowner), '');
    EXECUTE coalesce((
        SELECT string_agg(format('GRANT %s%s ON %s TO %s%s', acl.privilege_type, rights.of_column, to_table,
            coalesce(nullif(acl.grantee, 0)::regrole::text, 'PUBLIC'),
            CASE WHEN acl.is_grantable THEN ' WITH GRANT OPTION' END), ';')
        FROM pg_class AS t
        CROSS JOIN LATERAL (
            SELECT '' AS of_column, t.relacl AS acl
            UNION ALL
            SELECT format(' (%I)', a.attname), a.attacl
            FROM pg_attribute AS a
            WHERE a.attrelid = t.oid AND NOT a.attisdropped) AS rights
        CROSS JOIN LATERAL aclexplode(rights.acl) AS acl
        WHERE t.oid = from_table AND acl.grantee <> t.relowner), '');
END
$$;

-- The partition is created as a table and attached afterwards, so that nobody who stores messages waits. It has a
-- primary key and not only a unique index, because a publication refuses to delete from a table without one. Its owner
-- is that of the table, who has to close it, and not the role that acts for the owner.
CREATE FUNCTION "${schema}".add_processed_message_partition(starts_at timestamptz, ends_at timestamptz) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
    partition_name text := "${schema}".processed_message_partition_name('processed_message', starts_at);
BEGIN
    EXECUTE format($ddl$
        CREATE TABLE "${schema}".%1$I (
            LIKE "${schema}".processed_message INCLUDING DEFAULTS, CONSTRAINT %2$I PRIMARY KEY (message_id, consumer))
            WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
        ALTER TABLE "${schema}".%1$I OWNER TO %3$s;
        ALTER TABLE "${schema}".processed_message
            ATTACH PARTITION "${schema}".%1$I FOR VALUES FROM (%4$L) TO (%5$L);
        $ddl$, partition_name, partition_name || '_key',
        (SELECT relowner::regrole FROM pg_class WHERE oid = '"${schema}".processed_message'::regclass),
        starts_at, ends_at);
    INSERT INTO "${schema}".processed_message_partition (name, starts_at, ends_at)
    VALUES (partition_name, starts_at, ends_at);
    RETURN partition_name;
END
$$;

-- Needs an exclusive lock, but only for moments: the rows stay where they are, in what becomes the first partition.
CREATE FUNCTION "${schema}".partition_processed_message(open_from timestamptz, open_until timestamptz) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
#variable_conflict use_variable
DECLARE
    old   record;
    first text := "${schema}".processed_message_partition_name('processed_message_before', open_from);
    views text;
    is_distributed boolean;
BEGIN
    IF open_from >= open_until THEN
        RAISE EXCEPTION 'a partition from % to % would be empty', open_from, open_until
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOCK TABLE "${schema}".processed_message IN ACCESS EXCLUSIVE MODE;
    SELECT c.oid::regclass AS id, c.relkind, c.relowner, c.relrowsecurity INTO old
    FROM pg_class AS c
    WHERE c.oid = '"${schema}".processed_message'::regclass;
    IF old.relkind = 'p' THEN
        RETURN false;
    ELSIF NOT pg_has_role(old.relowner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table processed_message' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = $1)'
        INTO is_distributed USING old.id;
        IF is_distributed THEN
            RAISE EXCEPTION 'processed_message is distributed by Citus and cannot be partitioned as well'
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
    END IF;
    -- Partitions would show and take everything, and a table whose policies hold for its owner too looks empty to him.
    IF old.relrowsecurity OR EXISTS (SELECT FROM pg_policy WHERE polrelid = old.id) THEN
        RAISE EXCEPTION 'processed_message has row level security, which the new table would not have'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Disable it and drop its policies, and make them again for the new table, in the same'
                    || ' transaction. Never with FORCE, which hides rows from the library where its role owns the'
                    || ' table.';
    END IF;
    views := "${schema}".storage_views_over(old.id);
    IF NOT EXISTS (
        SELECT FROM pg_constraint
        WHERE conrelid = old.id AND conname = 'processed_message_before_partitions' AND convalidated) THEN
        IF EXISTS (SELECT FROM "${schema}".processed_message) THEN
            RAISE EXCEPTION 'processed_message holds rows and is not prepared for partitions'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Add its column stored_at and validate the constraint processed_message_before_partitions'
                        || ' first.';
        END IF;
        ALTER TABLE "${schema}".processed_message
            DROP CONSTRAINT IF EXISTS processed_message_before_partitions,
            ADD COLUMN IF NOT EXISTS stored_at timestamptz NOT NULL DEFAULT '-infinity',
            ADD CONSTRAINT processed_message_before_partitions CHECK (stored_at = '-infinity');
    END IF;

    EXECUTE format($ddl$
        ALTER TABLE "${schema}".processed_message RENAME TO %1$I;
        ALTER INDEX IF EXISTS "${schema}".processed_message_pkey RENAME TO %2$I;
        ALTER INDEX IF EXISTS "${schema}".processed_message_expires_at RENAME TO %3$I;
        CREATE TABLE "${schema}".processed_message (LIKE "${schema}".%1$I) PARTITION BY RANGE (stored_at);
        ALTER TABLE "${schema}".processed_message
            ALTER COLUMN stored_at SET DEFAULT "${schema}".processed_message_store_time(), OWNER TO %4$s;
        $ddl$, first, first || '_key', first || '_expires_at', old.relowner::regrole);
    COMMENT ON TABLE "${schema}".processed_message IS
        'Messages that a consumer has handled, written in the transaction of their effect';
    PERFORM "${schema}".storage_take_over_rights(old.id, '"${schema}".processed_message'::regclass);
    EXECUTE format($ddl$
        ALTER TABLE "${schema}".processed_message
            ATTACH PARTITION "${schema}".%1$I FOR VALUES FROM (MINVALUE) TO (%2$L);
        ALTER TABLE "${schema}".%1$I DROP CONSTRAINT processed_message_before_partitions;
        CREATE TRIGGER closed BEFORE INSERT ON "${schema}".%1$I FOR EACH ROW
            EXECUTE FUNCTION "${schema}".processed_message_refuse();
        $ddl$, first, open_from);
    INSERT INTO "${schema}".processed_message_partition (name, starts_at, ends_at, closed_at)
    VALUES (first, '-infinity', open_from, clock_timestamp());
    PERFORM "${schema}".add_processed_message_partition(open_from, open_until);

    -- A statement that has searched for all of its messages at once says so with the setting.
    CREATE TRIGGER look BEFORE INSERT ON "${schema}".processed_message FOR EACH ROW
        WHEN (pg_catalog.current_setting('idempotency.looked', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION "${schema}".processed_message_skip_duplicate();
    CREATE OR REPLACE VIEW "${schema}".processed_message_earlier AS
        SELECT message.consumer, message.message_id
        FROM "${schema}".processed_message AS message
        WHERE message.stored_at < (SELECT head.open_from FROM "${schema}".processed_message_head AS head);
    EXECUTE views;
    UPDATE "${schema}".processed_message_head AS head SET open_from = open_from, open_until = open_until;
    RETURN true;
END
$$;
