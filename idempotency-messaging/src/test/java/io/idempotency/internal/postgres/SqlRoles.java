package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

/** Roles of clients without Java, which have EXECUTE and USAGE and no right to a table, as the page on SQL says. */
public final class SqlRoles {

    private static final String WORKER = "idempotency_test_worker";

    private static final String JANITOR = "idempotency_test_janitor";

    private static final String CREATE = """
            do $$
            begin
                create role %1$s;
            exception
                when duplicate_object or unique_violation then null;
            end
            $$;
            grant usage on schema idempotency to %1$s;
            -- The application's own tables.
            alter default privileges in schema public grant all on tables to %1$s;
            grant all on all tables in schema public to %1$s;
            """;

    private SqlRoles() {}

    /** Connects as a role that may claim, consume and publish. */
    public static Connection worker(TestDatabase database) throws SQLException {
        return connect(database, WORKER, """
                grant execute on function
                    idempotency.idempotency_claim, idempotency.idempotency_succeed, idempotency.idempotency_fail,
                    idempotency.idempotency_lock, idempotency.idempotency_try_lock,
                    idempotency.idempotency_consume, idempotency.idempotency_advance,
                    idempotency.idempotency_advance_strictly, idempotency.idempotency_publish
                to\s""");
    }

    /** Connects as a role that may purge. */
    public static Connection janitor(TestDatabase database) throws SQLException {
        return connect(database, JANITOR, """
                grant execute on routine
                    idempotency.idempotency_purge, idempotency.idempotency_purge_begin,
                    idempotency.idempotency_purge_batch, idempotency.idempotency_purge_end,
                    idempotency.idempotency_commit_refusal
                to\s""");
    }

    private static Connection connect(TestDatabase database, String role, String grant) throws SQLException {
        JdbcTemplate admin = database.jdbc();
        // Sessions that start together would update the same rows of the catalogs.
        synchronized (SqlRoles.class) {
            if (!admin.queryForObject("select pg_catalog.to_regrole(?) is not null", Boolean.class, role)
                    || !admin.queryForObject(
                            "select has_schema_privilege(?, 'idempotency', 'USAGE')", Boolean.class, role)) {
                admin.execute(CREATE.formatted(role) + grant + role);
            }
        }
        Connection connection = database.connection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set role " + role);
        }
        return connection;
    }
}
