package io.idempotency.boot.flyway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Our migrations beside those of the application, which has a version 1 too. */
@PostgresTest(empty = true)
@Tag("full")
class ApplicationMigrationsTest {

    private static final String CREATE_NOTE = """
            create table public.note (
                id bigint generated always as identity primary key,
                text text not null,
                xid text not null default pg_current_xact_id()::text,
                backend int not null default pg_backend_pid());
            """;

    private static final String SHARED_SCHEMA = "idempotency.schema=public";

    @TempDir
    private Path directory;

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    ApplicationMigrationsTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeEach
    void writeTheApplicationsMigrations() throws IOException {
        Files.writeString(directory.resolve("V1__note.sql"), CREATE_NOTE);
        Files.writeString(
                directory.resolve("changelog.sql"),
                "--liquibase formatted sql\n--changeset application:1\n" + CREATE_NOTE);
    }

    @AfterEach
    void forgetEverything() {
        jdbc.execute("drop schema if exists idempotency cascade; drop schema public cascade; create schema public");
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFlyway.class, WithLiquibase.class})
    void bothMigrateOnTheSameStart(Class<?> migrations) {
        try (ConfigurableApplicationContext application = start(migrations)) {
            requireIdempotent(application);
        }
        assertThat(tables()).contains("idempotency.idempotency_request", "public.note");
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFlyway.class, WithLiquibase.class})
    void applicationsMigrationsCanBeAddedLaterAndRemovedAgain(Class<?> migrations) {
        start(WithoutMigrations.class).close();

        try (ConfigurableApplicationContext application = start(migrations)) {
            requireIdempotent(application);
        }
        try (ConfigurableApplicationContext application = start(WithoutMigrations.class)) {
            requireIdempotent(application);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFlyway.class, WithLiquibase.class})
    void libraryCanBeAddedLaterAndRemovedAgain(Class<?> migrations) {
        start(migrations, "idempotency.enabled=false").close();
        assertThat(tables()).doesNotContain("idempotency.idempotency_request");

        try (ConfigurableApplicationContext application = start(migrations)) {
            requireIdempotent(application);
        }
        start(migrations, "idempotency.enabled=false").close();
    }

    @Test
    void sameVersionsAreKeptInHistoriesOfTheirOwn() {
        start(WithFlyway.class).close();

        assertThat(versionsIn("public.flyway_schema_history")).containsExactly("1");
        assertThat(versionsIn("idempotency.idempotency_schema_history")).containsExactly("1");
    }

    /** The application's Flyway refuses a schema that is not empty and has no history, so it has to be the first. */
    @ParameterizedTest
    @ValueSource(classes = {WithFlyway.class, WithLiquibase.class})
    void inASharedSchemaOursRunAfterTheApplications(Class<?> migrations) {
        try (ConfigurableApplicationContext application = start(migrations, SHARED_SCHEMA)) {
            requireIdempotent(application);
        }
        start(migrations, SHARED_SCHEMA).close();

        assertThat(tables()).contains("public.idempotency_request", "public.note");
        assertThat(versionsIn("public.idempotency_schema_history")).containsExactly("0", "1");
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFlyway.class, WithLiquibase.class})
    void libraryCanBeAddedLaterToASchemaThatTheApplicationMigrated(Class<?> migrations) {
        start(migrations, "idempotency.enabled=false").close();

        try (ConfigurableApplicationContext application = start(migrations, SHARED_SCHEMA)) {
            requireIdempotent(application);
        }
    }

    /** The order that needs a hand: it is the application's Flyway that finds tables which it does not know. */
    @Test
    void flywayAddedLaterToASchemaWithOurTablesNeedsABaselineBeforeItsFirstVersion() {
        start(WithoutMigrations.class, SHARED_SCHEMA).close();

        assertThatThrownBy(() -> start(WithFlyway.class, SHARED_SCHEMA)).hasStackTraceContaining("non-empty schema");
        try (ConfigurableApplicationContext application = start(
                WithFlyway.class,
                SHARED_SCHEMA,
                "spring.flyway.baseline-on-migrate=true",
                "spring.flyway.baseline-version=0")) {
            requireIdempotent(application);
        }
    }

    @Test
    void liquibaseCanBeAddedLaterToASchemaWithOurTables() {
        start(WithoutMigrations.class, SHARED_SCHEMA).close();

        try (ConfigurableApplicationContext application = start(WithLiquibase.class, SHARED_SCHEMA)) {
            requireIdempotent(application);
        }
    }

    private ConfigurableApplicationContext start(Class<?> migrations, String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {migrations, Notebook.class},
                JdbcTestApplication.and(
                        properties,
                        "spring.flyway.locations=filesystem:" + directory,
                        "spring.liquibase.change-log="
                                + directory.resolve("changelog.sql").toUri()));
    }

    private void requireIdempotent(ConfigurableApplicationContext application) {
        Notebook.assertIdempotent(application.getBean(Notebook.class), jdbc);
    }

    private List<String> tables() {
        return jdbc.queryForList("""
                select schemaname || '.' || tablename from pg_catalog.pg_tables
                where schemaname in ('idempotency', 'public')""", String.class);
    }

    private List<String> versionsIn(String history) {
        return jdbc.queryForList("select version from " + history + " order by installed_rank", String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(FlywayAutoConfiguration.class)
    static class WithFlyway {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LiquibaseAutoConfiguration.class)
    static class WithLiquibase {}

    @Configuration(proxyBeanMethods = false)
    static class WithoutMigrations {}
}
