package io.idempotency.boot.flyway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.test.PostgresTest;

import static org.assertj.core.api.Assertions.assertThat;

/** With idempotency.migrate = false somebody else makes the tables, and the start only looks at them. */
@PostgresTest(empty = true)
class SchemaValidationTest extends NotebookTests {

    @ParameterizedTest
    @ValueSource(strings = {"idempotency", "keys_of_ours"})
    void startsWithTablesThatWereMadeByHand(String schema) throws IOException {
        runMigrationsByHand(schema);

        try (ConfigurableApplicationContext application = start("idempotency.schema=" + schema)) {
            Notebook.assertIdempotent(application.getBean(Notebook.class), admin);
        } finally {
            admin.execute("drop schema " + schema + " cascade");
        }
    }

    @Test
    void reportsThatTheTablesAreMissing() {
        StartupReport report = StartupReport.of(() -> start());

        assertThat(report.description())
                .contains(
                        "schema 'idempotency'",
                        "there is no idempotency_request, purge_lease, owner (core), processed_message, message_failure,"
                                + " stream_position, processed_message_earlier, outbox_event (messaging)");
        assertThat(report.action())
                .contains(
                        "idempotency.migrate = true",
                        "io/idempotency/internal/postgres/migration/core/V1__requests.sql,"
                                + " io/idempotency/internal/postgres/migration/messaging/V1__inbox.sql,"
                                + " io/idempotency/internal/postgres/migration/messaging/V2__outbox.sql and then",
                        "grant usage on schema")
                .doesNotContain("archive", "partitions");
        assertThat(admin.queryForList("select 1 from pg_namespace where nspname = 'idempotency'"))
                .as("created")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "idempotency.purge.archive=true, idempotency_request_archive (core-archive),"
                + " core-archive/V1__requests_archive.sql",
        "idempotency.purge.archive=true, outbox_event_archive (messaging-archive),"
                + " messaging-archive/V1__messages_archive.sql",
        "idempotency.storage.processed-messages=day, processed_message_head (partitions), partitions/V1__partitions.sql"
    })
    void reportsAFeatureThatIsMissing(String property, String table, String file) throws IOException {
        runMigrationsByHand("idempotency");

        StartupReport report = StartupReport.of(() -> start(property));

        assertThat(report.description()).contains("there is no ", table).doesNotContain("(core)", "(messaging)");
        assertThat(report.action()).contains("Run the migrations ", file).doesNotContain("core/V1__requests.sql");
    }

    @Test
    void reportsAMissingPrivilegeAndTheStatementThatGrantsIt() throws IOException {
        String application = database.name() + "_application";
        runMigrationsByHand("idempotency");
        admin.execute("""
                create role %1$s login password 'secret';
                grant usage on schema idempotency to %1$s;
                grant select, insert, update, delete on all tables in schema idempotency to %1$s;
                revoke update on idempotency.stream_position from %1$s""".formatted(application));
        try {
            StartupReport report = StartupReport.of(
                    () -> start("spring.datasource.username=" + application, "spring.datasource.password=secret"));

            assertThat(report.description()).contains("no right to UPDATE");
            assertThat(report.action())
                    .contains("grant select, insert, update, delete on \"idempotency\".stream_position to");
        } finally {
            admin.execute("drop owned by %1$s; drop role %1$s".formatted(application));
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                JdbcTestApplication.and(properties, "idempotency.migrate=false"));
    }

    /** As an administrator does with psql and its variables. */
    private void runMigrationsByHand(String schema) throws IOException {
        admin.execute("create schema " + schema);
        List<StorageFeature> features = List.of(CoreFeatures.CORE, MessagingFeatures.MESSAGING);
        for (String file : features.stream()
                .flatMap(feature -> feature.migrationFiles().stream())
                .toList()) {
            admin.execute(new ClassPathResource(file)
                    .getContentAsString(StandardCharsets.UTF_8)
                    .replace("${schema}", schema));
        }
    }
}
