package io.idempotency.boot.flyway;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An application whose role may connect and write its notes, and a role of its own for migrations. */
@PostgresTest(empty = true)
@Tag("full")
class MigrationRoleTest {

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final String application;

    private final String owner;

    MigrationRoleTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.application = database.name() + "-Application";
        this.owner = database.name() + "_owner";
    }

    @BeforeEach
    void createRoles() {
        Notebook.createTable(jdbc);
        jdbc.execute("""
                create role "%1$s" login password 'application';
                create role %2$s login password 'owner';
                revoke all on database %3$s from public;
                revoke create on schema public from public;
                grant connect on database %3$s to "%1$s";
                grant connect, create on database %3$s to %2$s;
                grant select, insert on public.note to "%1$s\"""".formatted(application, owner, database.name()));
    }

    @AfterEach
    void dropRoles() {
        jdbc.execute("""
                drop table public.note;
                drop owned by %2$s cascade;
                drop owned by "%1$s";
                drop role "%1$s";
                drop role %2$s""".formatted(application, owner));
    }

    @Test
    void migrationUserOwnsTheTablesAndTheApplicationMayUseThem() {
        try (ConfigurableApplicationContext application = start(migrationUser())) {
            requireIdempotent(application);
        }

        assertThat(jdbc.queryForList(
                        "select distinct tableowner from pg_catalog.pg_tables where schemaname = 'idempotency'",
                        String.class))
                .containsExactly(owner);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "truncate idempotency.idempotency_request",
                "create table idempotency.mine (id int)",
                "delete from idempotency.idempotency_schema_history"
            })
    void applicationGetsNoMoreThanItNeeds(String statement) {
        try (ConfigurableApplicationContext context = start(migrationUser())) {
            JdbcTemplate asApplication = context.getBean(JdbcTemplate.class);

            assertThatThrownBy(() -> asApplication.execute(statement)).hasStackTraceContaining("permission denied");
        }
    }

    @Test
    void tablesThatWereMigratedBeforeNeedNoMigrationUserWithoutMigration() {
        start(migrationUser()).close();

        try (ConfigurableApplicationContext application = start("idempotency.migrate=false")) {
            requireIdempotent(application);
        }
    }

    @Test
    void applicationThatMayNotCreateASchemaIsToldWhatToDo() {
        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description())
                .contains("could not be migrated", "permission denied for database " + database.name());
        assertThat(report.action()).contains("idempotency.migration.user", "idempotency.migrate = false");
    }

    @Test
    void applicationThatMigratesTablesOfAnotherRoleIsToldWhatToDo() {
        start(migrationUser()).close();

        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description()).contains("permission denied for table idempotency_schema_history");
        assertThat(report.action()).contains("idempotency.migrate = false");
    }

    @Test
    void wrongMigrationUserIsReported() {
        StartupReport report = StartupReport.of(() -> start("idempotency.migration.user=" + owner + "_of_nothing"));

        assertThat(report.description()).contains("could not be migrated", owner + "_of_nothing");
    }

    @Test
    void migrationUserIsUsedEvenIfTheUrlNamesTheApplicationsRole() {
        String separator = database.jdbcUrl().contains("?") ? "&" : "?";

        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                "spring.datasource.url=" + database.jdbcUrl() + separator + "user=" + this.application
                        + "&password=application",
                "idempotency.migration.user=" + owner,
                "idempotency.migration.password=owner")) {
            requireIdempotent(application);
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                JdbcTestApplication.and(
                        properties,
                        "spring.datasource.username=" + application,
                        "spring.datasource.password=application"));
    }

    private String[] migrationUser() {
        return new String[] {"idempotency.migration.user=" + owner, "idempotency.migration.password=owner"};
    }

    private void requireIdempotent(ConfigurableApplicationContext application) {
        Notebook.assertIdempotent(application.getBean(Notebook.class), jdbc);
    }
}
