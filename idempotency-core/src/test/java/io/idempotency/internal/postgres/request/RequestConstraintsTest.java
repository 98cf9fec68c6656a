package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What no row of {@code idempotency_request} may hold, whoever writes it. */
@PostgresTest
class RequestConstraintsTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;

    RequestConstraintsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void insertARow() throws SQLException {
        admin.execute("truncate idempotency.idempotency_request");
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("order-42"), "1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "idempotency_scope = repeat('x', 129)  | character varying(128)",
                "caller = repeat('x', 129)             | character varying(128)",
                "idempotency_key = repeat('x', 256)    | character varying(255)",
                "hash_version = 40000                  | smallint",
                "response_body = '{'                   | type json",
            })
    void nonsenseIsRefused(String assignment, String type) {
        assertThatThrownBy(() -> set(assignment))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining(type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "request_id",
                "idempotency_scope",
                "caller",
                "idempotency_key",
                "request_hash",
                "hash_version",
                "status",
                "claimed_by",
                "claimed_at",
                "attempt_count",
                "created_at",
                "updated_at",
                "expires_at"
            })
    void whatEveryRowHasMayNotBeNull(String column) {
        assertThatThrownBy(() -> set(column + " = null"))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining("\"" + column + "\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency_scope = repeat('\u20ac', 128), caller = repeat('\u20ac', 128),"
                        + " idempotency_key = repeat('\ud83d\ude00', 255)",
                "response_body = null",
                "status = 'processing', response_body = null, locked_until = now()",
                "status = 'failed_final', response_body = null, failure_code = 'a', failure_message = 'b'",
                "status = 'failed_retryable', response_body = null, attempt_count = 7",
            })
    void whatARowMayHoldIsAccepted(String assignment) {
        assertThat(set(assignment)).isEqualTo(1);
    }

    @Test
    void oneIntentHasOneRow() {
        assertThatThrownBy(() -> admin.execute(
                        "insert into idempotency.idempotency_request select * from idempotency.idempotency_request"))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining("idempotency_request_pkey");
    }

    /** An update of the operating system may change other orders, and a unique index would not find what it holds. */
    @Test
    void noIndexIsInAnOrderOfTheOperatingSystem() {
        assertThat(admin.queryForList("""
                        select i.indexrelid::regclass || ' ' || c.collname
                        from pg_index i
                        join pg_class t on t.oid = i.indrelid and t.relnamespace = 'idempotency'::regnamespace
                        cross join unnest(i.indcollation) as used (id)
                        join pg_collation c on c.oid = used.id
                        where c.collname <> 'C'""", String.class))
                .filteredOn(index -> !index.startsWith("idempotency.idempotency_schema_history"))
                .isEmpty();
    }

    private int set(String assignment) {
        return admin.update("update idempotency.idempotency_request set " + assignment);
    }
}
