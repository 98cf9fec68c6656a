package io.idempotency.boot.flyway;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** An application does not start on an engine that voids the guarantee, unless it is told to. */
class EngineVerificationTest {

    private static final String FAKE_LOCKS = """
            create or replace function pg_catalog.pg_try_advisory_xact_lock(bigint) returns boolean
                language sql as 'select true'""";

    /** Functions of the server are replaced, so each test has a database of its own. */
    private TestDatabase database;

    private JdbcTemplate jdbc;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.createEmpty();
        jdbc = database.jdbc();
        Notebook.createTable(jdbc);
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void reportsAnEngineByItsNameBeforeAnythingIsCreated() {
        jdbc.execute("""
                create or replace function pg_catalog.version() returns text
                    language sql as 'select ''CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)'''""");

        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description()).contains("cannot be kept in CockroachDB", "lock nothing");
        assertThat(report.action()).contains("idempotency.data-source");
        assertThat(jdbc.queryForList("select 1 from pg_namespace where nspname = 'idempotency'"))
                .isEmpty();
    }

    @Test
    void reportsReadOnlyTransactionsInsteadOfAFailedMigration() {
        StartupReport report = StartupReport.of(() ->
                start("spring.datasource.hikari.connection-init-sql=" + "set default_transaction_read_only = on"));

        assertThat(report.description()).contains("are read-only", "every call would fail");
        assertThat(report.action()).contains("default_transaction_read_only");
    }

    @Test
    void reportsWhatItFindsInTheTables() {
        start().close();
        jdbc.execute("alter table idempotency.processed_message drop constraint processed_message_pkey");

        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description())
                .contains("processed_message in schema 'idempotency' has no valid unique index");
        assertThat(report.action()).contains("alter table \"idempotency\".processed_message add unique");
    }

    @Test
    void reportsWhatItFindsByTrying() {
        jdbc.execute(FAKE_LOCKS);

        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description()).contains("lock that one transaction holds was granted to another one");
        assertThat(report.action()).contains("PostgreSQL itself");
    }

    @Test
    void reportsADriverThatDoesNotTellHowManyRowsAreChanged() {
        String url = database.jdbcUrl();

        StartupReport report = StartupReport.of(
                () -> start("spring.datasource.url=" + url + (url.contains("?") ? "&" : "?") + "prepareThreshold=-1"));

        assertThat(report.description()).contains("did not report how many rows", "Leased calls");
        assertThat(report.action()).contains("prepareThreshold=-1");
    }

    @Test
    void verifiesNothingIfItIsSwitchedOff() {
        jdbc.execute(FAKE_LOCKS);

        try (ConfigurableApplicationContext application = start("idempotency.verify-engine=false")) {
            Notebook.assertIdempotent(application.getBean(Notebook.class), jdbc);
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[] {Notebook.class}, properties);
    }
}
