package io.idempotency.boot.flyway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** With idempotency.migrate = false somebody else makes the tables, and the start only looks at them. */
@PostgresTest(empty = true)
class SchemaValidationTest {

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final String application;

    SchemaValidationTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.application = database.name() + "_application";
    }

    @BeforeAll
    static void createApplicationTable(TestDatabase database) {
        Notebook.createTable(database.jdbc());
    }

    @AfterEach
    void forgetEverything() {
        jdbc.execute("drop schema if exists idempotency, keys_of_ours cascade; truncate note");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency", "keys_of_ours"})
    void startsWithTablesThatWereMadeByHand(String schema) throws IOException {
        runMigrationsByHand(schema);

        try (ConfigurableApplicationContext application = start("idempotency.schema=" + schema)) {
            Notebook notebook = application.getBean(Notebook.class);
            Note first = notebook.write("key", "text");

            assertThat(notebook.write("key", "text")).isEqualTo(first);
            assertThat(Notebook.count(jdbc)).isOne();
        }
    }

    @Test
    void createsNothing() {
        StartupReport.of(() -> start());

        assertThat(jdbc.queryForList("select 1 from pg_namespace where nspname = 'idempotency'"))
                .isEmpty();
    }

    @Test
    void reportsThatTheTablesAreMissing() {
        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description())
                .contains("schema 'idempotency'", "relation \"idempotency.idempotency_request\" does not exist");
        assertThat(report.action())
                .contains("idempotency.migrate = true", PostgresStorage.MIGRATIONS, "grant usage on schema");
    }

    @Test
    void reportsAColumnThatAnOlderVersionDidNotMake() throws IOException {
        runMigrationsByHand("idempotency");
        jdbc.execute("alter table idempotency.idempotency_request drop column attempt_count");

        assertThat(StartupReport.of(() -> start()).description()).contains("column \"attempt_count\" does not exist");
    }

    @ParameterizedTest
    @CsvSource({"insert, idempotency_request", "update, stream_position", "delete, message_failure"})
    void reportsAMissingPrivilegeAndTheStatementThatGrantsIt(String privilege, String table) throws IOException {
        runMigrationsByHand("idempotency");
        jdbc.execute("create role %s login password 'secret'".formatted(application));
        jdbc.execute("""
                grant usage on schema idempotency to %1$s;
                grant select, insert, update, delete on all tables in schema idempotency to %1$s;
                revoke %2$s on idempotency.%3$s from %1$s""".formatted(application, privilege, table));
        try {
            StartupReport report = StartupReport.of(this::startAsApplicationRole);

            assertThat(report.description()).contains("no right to " + privilege.toUpperCase(Locale.ROOT));
            assertThat(report.action())
                    .contains("grant select, insert, update, delete on \"idempotency\"." + table + " to");
        } finally {
            dropApplicationRole();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"usage on schema idempotency", "select on idempotency.idempotency_request"})
    void reportsATableThatMustNotBeRead(String privilege) throws IOException {
        runMigrationsByHand("idempotency");
        jdbc.execute("create role %s login password 'secret'".formatted(application));
        jdbc.execute("""
                grant usage on schema idempotency to %1$s;
                grant select, insert, update, delete on all tables in schema idempotency to %1$s;
                revoke %2$s from %1$s""".formatted(application, privilege));
        try {
            StartupReport report = StartupReport.of(this::startAsApplicationRole);

            assertThat(report.description()).contains("permission denied for");
            assertThat(report.action()).contains("grant usage on schema \"idempotency\" to");
        } finally {
            dropApplicationRole();
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                JdbcTestApplication.and(properties, "idempotency.migrate=false"));
    }

    private void startAsApplicationRole() {
        start("spring.datasource.username=" + application, "spring.datasource.password=secret")
                .close();
    }

    private void dropApplicationRole() {
        jdbc.execute("drop owned by %1$s; drop role %1$s".formatted(application));
    }

    /** As an administrator does with psql and its variables. */
    private void runMigrationsByHand(String schema) throws IOException {
        jdbc.execute("create schema " + schema);
        for (Resource migration : new PathMatchingResourcePatternResolver()
                .getResources("classpath*:" + PostgresStorage.MIGRATIONS + "/V*.sql")) {
            jdbc.execute(migration.getContentAsString(StandardCharsets.UTF_8).replace("${schema}", schema));
        }
    }
}
