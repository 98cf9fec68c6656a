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
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.internal.postgres.PostgresStorage;
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
        try (ConfigurableApplicationContext context = start()) {
            Note written = context.getBean(Notebook.class).write("key", "text");

            assertThat(claim("key", "text")).isEqualTo("replay_success text");

            jdbc.execute("""
                    do $$
                    declare
                        claim record;
                    begin
                        select * into claim
                        from idempotency.idempotency_claim(
                            'notes', 'of-sql', sha256('\\x01'::bytea || '["of-sql","text"]'), 'psql');
                        perform idempotency.idempotency_succeed('notes', 'of-sql', claim.claim_token, response_body =>
                            '{"id": 42, "text": "by SQL", "xid": "1", "backend": 1}');
                    end
                    $$""");
            assertThat(context.getBean(Notebook.class).write("of-sql", "text"))
                    .isEqualTo(new Note(42, "by SQL", "1", 1))
                    .isNotEqualTo(written);
            assertThat(Notebook.count(jdbc)).isOne();
        }
    }

    private String claim(String key, String text) {
        return jdbc.queryForObject(CLAIM, String.class, key, "[\"" + key + "\",\"" + text + "\"]");
    }

    @Test
    void areNotInstalledWhereTheyAreSwitchedOff() {
        start("idempotency.sql-functions=false").close();
        assertThat(functions()).containsExactlyElementsOf(OF_MIGRATIONS);

        start().close();
        List<String> installed = functions();
        start("idempotency.sql-functions=false").close();

        assertThat(functions()).isEqualTo(installed).contains("idempotency_claim");
    }

    @Test
    void areLeftToWhoMigrates() throws IOException {
        start("idempotency.sql-functions=false").close();

        start("idempotency.migrate=false").close();
        assertThat(functions()).doesNotContain("idempotency_claim");

        jdbc.execute(new ClassPathResource(PostgresStorage.SQL_FUNCTIONS)
                .getContentAsString(StandardCharsets.UTF_8)
                .replace("${schema}", "idempotency"));
        assertThat(claim("key", "text")).isEqualTo("new_claim");
    }

    @Test
    void areMissedWithAWarningWhereTheRoleMayNotCreateThem(CapturedOutput output) {
        start("idempotency.sql-functions=false").close();
        jdbc.execute("revoke create on schema idempotency from " + application);

        try (ConfigurableApplicationContext context = start()) {
            Notebook notebook = context.getBean(Notebook.class);
            assertThat(notebook.write("key", "text")).isEqualTo(notebook.write("key", "text"));
            assertThat(Notebook.count(jdbc)).isOne();
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

    @Test
    void belongToTheMigrationUserAndServeTheApplicationsRole() {
        JdbcTestApplication.start(
                        database,
                        new Class<?>[] {Notebook.class},
                        "spring.datasource.username=" + application,
                        "spring.datasource.password=secret",
                        "idempotency.migration.user=" + database.username(),
                        "idempotency.migration.password=" + database.password())
                .close();

        jdbc.execute("set role " + application + "; select idempotency.idempotency_consume('c', 'm')");
        assertThat(jdbc.queryForObject("select count(*) from idempotency.processed_message", Integer.class))
                .isOne();
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
