package io.idempotency.internal.postgres.jdbc;

import java.util.regex.Pattern;

/**
 * The PostgreSQL schema that holds the tables. Every statement names it, so that no search_path matters.
 *
 * @param name a plain identifier
 */
public record Schema(String name) {

    /**
     * Excludes other instances that create or change tables. Any constant will do, as long as all instances use the same one. The
     * role's lock_timeout is for its tables: it must not end the wait for instances that start at the same time. PostgreSQL
     * evaluates the columns in their order.
     */
    public static final String LOCK = """
            select set_config('idempotency.prev', current_setting('lock_timeout'), true), set_config('lock_timeout', '0', true),
                   pg_advisory_xact_lock(hashtextextended('idempotency.schema', 0::bigint))::text,
                   set_config('lock_timeout', current_setting('idempotency.prev'), true)""";

    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if the name is not well-formed
     */
    public Schema {
        if (!IDENTIFIER.matcher(name).matches()) {
            throw new IllegalArgumentException("idempotency.schema = '" + name
                    + "' is not a schema name: use at most 63 lower-case letters, digits and underscores, and no digit"
                    + " first");
        }
    }

    /** Puts the quoted schema in the place of {@code {schema}}. */
    public String resolve(String sql) {
        return sql.replace("{schema}", '"' + name + '"');
    }
}
