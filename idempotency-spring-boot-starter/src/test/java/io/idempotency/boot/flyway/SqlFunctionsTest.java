package io.idempotency.boot.flyway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What starting an application does about the functions for callers that are not Java, and that they are of use. */
@PostgresTest(empty = true)
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class SqlFunctionsTest {

    private static final List<String> OF_MIGRATIONS = List.of("idempotency_lock_id", "idempotency_request_id");

    /** The arguments of {@link Notebook#write}, as they are hashed. */
    private static final String CLAIM = """
            select claim_kind || coalesce(' ' || (response_body ->> 'text'), '')
            from idempotency.idempotency_claim(
                'notes', ?, sha256('\\x01'::bytea || convert_to(?, 'UTF8')), 'psql')""";

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final String application;

    SqlFunctionsTest(TestDatabase database) {
        this.database = database;
        this.jdbc = new JdbcTemplate(database.adminDataSource());
        this.application = database.name() + "_application";
    }

    @BeforeEach
    void prepare() {
        Notebook.createTable(jdbc);
        jdbc.execute("""
                create role %1$s login password 'secret';
                grant create on database %2$s to %1$s;
                grant select, insert on public.note to %1$s""".formatted(application, database.name()));
    }

    @AfterEach
    void forgetEverything() {
        jdbc.execute("""
                drop schema if exists idempotency cascade;
                drop table public.note;
                drop owned by %1$s; drop role %1$s""".formatted(application));
    }

    @Test
    void areInstalledAndShareTheKeysOfAnnotatedMethods() {
        try (ConfigurableApplicationContext context = start("idempotency.sql-functions=true")) {
            context.getBean(Notebook.class).write("key", "text");

            assertThat(claim("key", "text")).isEqualTo("replay_success text");
        }
    }

    private String claim(String key, String text) {
        return jdbc.queryForObject(CLAIM, String.class, key, "[\"" + key + "\",\"" + text + "\"]");
    }

    @Test
    void areNotInstalledWhereTheyAreSwitchedOff() {
        start().close();
        assertThat(functions()).containsExactlyElementsOf(OF_MIGRATIONS);

        start("idempotency.sql-functions=true").close();
        List<String> installed = functions();
        start().close();

        assertThat(functions()).isEqualTo(installed).contains("idempotency_claim");
    }

    @Test
    void areLeftToWhoMigrates() throws IOException {
        start().close();

        start("idempotency.migrate=false").close();
        assertThat(functions()).doesNotContain("idempotency_claim");

        jdbc.execute(new ClassPathResource(CoreFeatures.SQL_FUNCTIONS)
                .getContentAsString(StandardCharsets.UTF_8)
                .replace("${schema}", "idempotency"));
        assertThat(claim("key", "text")).isEqualTo("new_claim");
    }

    @Test
    void areMissedWithAWarningWhereTheRoleMayNotCreateThem(CapturedOutput output) {
        start().close();
        jdbc.execute("revoke create on schema idempotency from " + application);

        try (ConfigurableApplicationContext context = start("idempotency.sql-functions=true")) {
            Notebook.assertIdempotent(context.getBean(Notebook.class), jdbc);
        }

        assertThat(functions()).containsExactlyElementsOf(OF_MIGRATIONS);
        assertThat(output.getAll().lines().filter(line -> line.contains("SQL functions")))
                .singleElement()
                .asString()
                .contains(
                        "WARN",
                        "permission denied for schema idempotency",
                        "idempotency.migration.user",
                        "idempotency.sql-functions = false");
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                JdbcTestApplication.and(
                        properties, "spring.datasource.username=" + application, "spring.datasource.password=secret"));
    }

    private List<String> functions() {
        return jdbc.queryForList("""
                select proname
                from pg_proc
                where pronamespace = 'idempotency'::regnamespace and proname like 'idempotency%'
                order by proname""", String.class);
    }
}
