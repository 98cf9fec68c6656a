package io.idempotency.proof;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The ways in which a statement writes a table that it does not name, as the definitions in the databases tell. */
final class Writers {

    /** Finds the SQL to which a view, a rule, a trigger, a foreign key or a function leads. */
    static final String QUERY = """
            select 'view', c.relname, c.relname, 'insert into ' || quote_ident(r.relname)
              from pg_rewrite w
              join pg_class c on c.oid = w.ev_class and c.relkind = 'v'
              join pg_depend d on d.classid = 'pg_rewrite'::regclass::oid and d.objid = w.oid
               and d.refclassid = 'pg_class'::regclass::oid and d.refobjid <> c.oid
              join pg_class r on r.oid = d.refobjid
             where w.oid >= 16384
            union
            select 'rule', w.rulename, c.relname, substring(pg_get_ruledef(w.oid) from '(?i) DO .*')
              from pg_rewrite w
              join pg_class c on c.oid = w.ev_class
             where w.rulename <> '_RETURN' and w.oid >= 16384
            union
            select 'trigger', t.tgname, c.relname, quote_ident(p.proname) || '()'
              from pg_trigger t
              join pg_class c on c.oid = t.tgrelid
              join pg_proc p on p.oid = t.tgfoid
             where not t.tgisinternal
            union
            select 'foreign key', k.conname, c.relname, 'update ' || quote_ident(r.relname)
              from pg_constraint k
              join pg_class c on c.oid = k.confrelid
              join pg_class r on r.oid = k.conrelid
             where k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
            union
            select 'function', p.proname, null, pg_get_functiondef(p.oid)
              from pg_proc p
             where p.oid >= 16384 and p.prokind in ('f', 'p')
               and not exists (select from pg_depend d
                                where d.classid = 'pg_proc'::regclass::oid and d.objid = p.oid and d.deptype = 'e')
            """;

    private static final Pattern CASCADED =
            Pattern.compile("\\b(delete|update|merge|truncate)\\b", Pattern.CASE_INSENSITIVE);

    private final List<Definition> definitions = new ArrayList<>();

    /**
     * A definition.
     *
     * @param kind kind of the object
     * @param name name
     * @param table what has to be written; {@code null} for a function, which has to be called
     * @param text what is done then
     */
    record Definition(String kind, String name, @Nullable String table, String text) {

        boolean isReachedBy(String sql) {
            if (table == null) {
                return Pattern.compile("(?<![\\w$])" + Pattern.quote(name) + "\"?\\s*\\(", Pattern.CASE_INSENSITIVE)
                        .matcher(sql)
                        .find();
            }
            return RecordedStatement.writes(sql, table)
                    && (!kind.equals("foreign key") || CASCADED.matcher(sql).find());
        }

        /** Returns whether the server replaces it in the statement itself. */
        boolean isView() {
            return kind.equals("view");
        }

        @Override
        public String toString() {
            return "the " + kind + " " + name;
        }
    }

    void add(Definition definition) {
        definitions.add(definition);
    }

    /** Returns the definition by which a statement that does not name a table writes it. */
    Optional<Definition> between(String sql, String table) {
        return definitions.stream()
                .filter(definition -> definition.isReachedBy(sql) && leads(definition, table, new HashSet<>()))
                .findFirst();
    }

    private boolean leads(Definition definition, String table, Set<Definition> seen) {
        return seen.add(definition)
                && (RecordedStatement.writes(definition.text(), table)
                        || definitions.stream()
                                .anyMatch(next -> next.isReachedBy(definition.text()) && leads(next, table, seen)));
    }
}
