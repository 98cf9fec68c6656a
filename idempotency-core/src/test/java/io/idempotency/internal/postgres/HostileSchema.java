package io.idempotency.internal.postgres;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

/**
 * A role that may create objects in {@code public} and has planted functions and operators there that fail: with the names of
 * PostgreSQL's own, for all combinations of types that a statement could bring. A name that is not qualified finds them if
 * {@code pg_catalog} has nothing for exactly those types.
 */
final class HostileSchema {

    private static final String PLANTED = "planted in the schema public";

    private static final Pattern CALL = Pattern.compile("(?<![.\\w\"])([a-z_0-9]+)\\s*\\(");

    /** In the name of the role, which owns nothing else. */
    private static final String PLANT = """
            do $plant$
            declare
                role_name text := 'planter_' || md5(current_database());
                types     text[] := array['boolean', 'smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric',
                    'text', 'character varying', 'name', '"char"', 'uuid', 'json', 'bytea', 'timestamptz', 'interval', 'oid',
                    'regclass', 'tid', 'text[]', 'character varying[]', 'uuid[]', 'integer[]', 'bigint[]', 'timestamptz[]'];
                few       text[] := array['boolean', 'integer', 'bigint', 'text', 'character varying', 'timestamptz'];
                operators text[] := array['=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '||', '~', '~~'];
                domains   text[];
                called    record;
                l         text;
                r         text;
                third     text;
                op        text;
                body      text := format('begin raise exception using message = %%L, errcode = ''P6666''; end', '%1$s');
            begin
                select array_agg(format('%%I.%%I', n.nspname, t.typname)) into domains
                from pg_type t join pg_namespace n on n.oid = t.typnamespace
                where n.nspname = 'idempotency' and t.typtype = 'd';
                if not exists (select from pg_roles where rolname = role_name) then
                    execute format('create role %%I', role_name);
                end if;
                execute format('grant usage, create on schema public to %%I', role_name);
                if domains is not null then
                    execute format('grant usage on schema idempotency to %%I', role_name);
                    types := types || domains;
                end if;
                execute format('set local role %%I', role_name);
                foreach l in array types loop
                    foreach r in array types loop
                        continue when to_regprocedure(format('public.planted_boolean(%%s, %%s)', l, r)) is not null;
                        foreach third in array array['boolean', 'numeric', 'interval', 'timestamptz', 'text'] loop
                            execute format('create function public.%%I(%%s, %%s) returns %%s language plpgsql as %%L',
                                'planted_' || third, l, r, third, body);
                        end loop;
                        foreach op in array operators loop
                            execute format('create operator public.%%s (leftarg = %%s, rightarg = %%s, function = public.%%I)',
                                op, l, r, 'planted_' || case
                                    when op not in ('+', '-', '*', '/', '||') then 'boolean'
                                    when op = '||' then 'text'
                                    when l = 'interval' or r = 'interval' and l <> 'timestamptz' then 'interval'
                                    when l = 'timestamptz' then 'timestamptz'
                                    else 'numeric'
                                end);
                        end loop;
                    end loop;
                end loop;
                for called in
                    select distinct on (p.proname, p.pronargs) p.proname, p.pronargs,
                        case when p.prorettype::regtype::text in ('boolean', 'text', 'bigint', 'timestamptz', 'integer')
                            then p.prorettype::regtype::text else 'bigint' end as result, p.proretset
                    from pg_proc p
                    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname = any (array[%2$s])
                        and p.pronargs between 1 and 3 and p.prokind in ('f', 'a', 'w')
                loop
                    foreach l in array case when called.pronargs < 3 then types else few end loop
                        foreach r in array case called.pronargs when 1 then array['boolean'] when 2 then types else few end loop
                            foreach third in array case when called.pronargs < 3 then array['boolean'] else few end loop
                                execute format(
                                    'create or replace function public.%%I(%%s) returns %%s language plpgsql as %%L',
                                    called.proname,
                                    array_to_string((array[l, r, third])[:called.pronargs], ', '),
                                    case when called.proretset then 'setof ' else '' end || called.result, body);
                            end loop;
                        end loop;
                    end loop;
                end loop;
            end
            $plant$""";

    /** By what is not pinned: PostgreSQL's own objects are, and nobody depends on them. */
    private static final String CAPTURED = """
            select distinct coalesce(o.oid::pg_catalog.regoperator::text, p.oid::pg_catalog.regprocedure::text)
            from pg_catalog.pg_depend as d
            left join pg_catalog.pg_operator as o
                on d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and o.oid = d.refobjid
                    and o.oprnamespace = 'public'::pg_catalog.regnamespace
            left join pg_catalog.pg_proc as p
                on d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass and p.oid = d.refobjid
                    and p.pronamespace = 'public'::pg_catalog.regnamespace
            where coalesce(o.oid, p.oid) is not null and %s""";

    private HostileSchema() {}

    /** The names that are called without a schema. */
    static Set<String> namesCalledIn(Collection<String> statements) {
        Set<String> names = new TreeSet<>();
        for (String statement : statements) {
            Matcher call = CALL.matcher(statement.toLowerCase(java.util.Locale.ROOT));
            while (call.find()) {
                names.add(call.group(1));
            }
        }
        return names;
    }

    /** The second time in a database, for types that have come meanwhile. */
    static void plant(TestDatabase database, Collection<String> names) {
        admin(database).execute(PLANT.formatted(PLANTED, "'" + String.join("', '", names) + "'"));
    }

    /** What of it an object has been parsed to use; the condition is one on the alias {@code d}. */
    static java.util.List<String> capturedBy(TestDatabase database, String condition) {
        return admin(database).queryForList(CAPTURED.formatted(condition), String.class);
    }

    /** The operator class is chosen by the server, so that the statements of the test itself are safe. */
    static JdbcTemplate admin(TestDatabase database) {
        org.postgresql.ds.PGSimpleDataSource dataSource = new org.postgresql.ds.PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        dataSource.setOptions("-c search_path=pg_catalog");
        return new JdbcTemplate(dataSource);
    }
}
