package io.idempotency.internal.postgres.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Objects;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.schema.StorageFeature.SqlScript;

/**
 * The installation of the SQL functions, by which callers other than Java follow the library's rules, and of the views for
 * operators. The library itself does not use them, so an application starts without them, too.
 *
 * <p>They are no migration: if their version is older than this library's, all of them are replaced; otherwise they are left
 * unchanged.
 */
final class SqlFunctions {

    private static final Logger logger = LoggerFactory.getLogger(SqlFunctions.class);

    private static final String IS_INSTALLED =
            "select to_regprocedure('{schema}.{version}()') is not null as installed";

    private static final String INSTALLED_VERSION = "select {schema}.{version}() as version";

    private static final String PLACEHOLDER = "${schema}";

    /**
     * The SQLSTATE class of errors about privileges, names and definitions.
     *
     * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>
     */
    private static final String RULE_VIOLATION = "42";

    /** Another session reads a view or replaces a function at the same time. */
    private static final Set<String> IN_USE = Set.of("55P03", "40P01", "XX000");

    private final Schema schema;

    private final SqlScript script;

    SqlFunctions(Schema schema, SqlScript script) {
        this.schema = schema;
        this.script = script;
    }

    /**
     * Installs the functions in the transaction of the migrations, under its lock.
     *
     * @return {@code false} if they were refused
     */
    boolean install(Connection connection) {
        try {
            return installUnlessRefused(connection);
        } catch (SQLException failure) {
            throw SqlFailures.translate("install the SQL functions", null, failure);
        }
    }

    /** Rolls back to a savepoint if a statement is refused, so that the migrations are not lost. */
    private boolean installUnlessRefused(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            if (installedVersion(connection) < script.version()) {
                runScript(connection);
            }
            connection.releaseSavepoint(before);
            return true;
        } catch (SQLException refused) {
            String state = refused.getSQLState();
            if (state == null || !(state.startsWith(RULE_VIOLATION) || IN_USE.contains(state))) {
                throw refused;
            }
            connection.rollback(before);
            logger.warn(
                    "The SQL functions in schema '{}' could not be installed: {}. The application works without them. Run"
                            + " {} as the owner of the schema, name that role with idempotency.migration.user, or set"
                            + " idempotency.sql-functions = false.",
                    schema.name(),
                    Objects.toString(refused.getMessage(), state)
                            .lines()
                            .findFirst()
                            .orElse(state),
                    script.location());
            return false;
        }
    }

    /** Returns 0 if no functions are installed. */
    private int installedVersion(Connection connection) throws SQLException {
        try (PreparedStatement lookup = connection.prepareStatement(resolve(IS_INSTALLED));
                ResultSet found = lookup.executeQuery()) {
            found.next();
            if (!found.getBoolean("installed")) {
                return 0;
            }
        }
        try (PreparedStatement query = connection.prepareStatement(resolve(INSTALLED_VERSION));
                ResultSet version = query.executeQuery()) {
            version.next();
            return version.getInt("version");
        }
    }

    private String resolve(String sql) {
        return schema.resolve(sql).replace("{version}", script.versionFunction());
    }

    private void runScript(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // The braces in the functions are JSON and not JDBC escapes.
            statement.setEscapeProcessing(false);
            statement.execute(text());
        }
    }

    private String text() {
        try {
            return new ClassPathResource(script.location(), SqlFunctions.class.getClassLoader())
                    .getContentAsString(StandardCharsets.UTF_8)
                    .replace(PLACEHOLDER, schema.name());
        } catch (IOException failure) {
            throw new UncheckedIOException("The script " + script.location() + " cannot be read", failure);
        }
    }
}
