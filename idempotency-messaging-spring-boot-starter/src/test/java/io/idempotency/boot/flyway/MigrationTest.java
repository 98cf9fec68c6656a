package io.idempotency.boot.flyway;

import java.io.IOException;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.Purge;
import io.idempotency.test.PostgresTest;

import static org.assertj.core.api.Assertions.assertThat;

/** What starting an application does to a database that has no migrations but ours. */
@PostgresTest(empty = true)
class MigrationTest extends NotebookTests {

    private static final List<String> TABLES = List.of(
            "idempotency_messaging_history",
            "idempotency_request",
            "idempotency_schema_history",
            "message_failure",
            "outbox_event",
            "owner",
            "processed_message",
            "purge_lease",
            "stream_position");

    private static final List<String> ARCHIVES = List.of(
            "idempotency_archive_history",
            "idempotency_messaging_archive_history",
            "idempotency_request_archive",
            "message_failure_archive",
            "outbox_event_archive",
            "processed_message_archive");

    private static final List<String> PARTITIONS =
            List.of("idempotency_partitions_history", "processed_message_head", "processed_message_partition");

    @Test
    void firstStartCreatesTheSchemaTheTablesAndAHistoryOfItsOwn() {
        start().close();

        assertThat(tablesOf("idempotency")).containsExactlyElementsOf(TABLES);
        assertThat(tablesOf("public")).containsExactly("note");
        assertThat(appliedVersions()).containsExactly("1");
    }

    @Test
    void everyMigrationIsListed() throws IOException {
        assertThat(new PathMatchingResourcePatternResolver()
                        .getResources("classpath*:io/idempotency/internal/postgres/migration/**/*.*"))
                .extracting(file -> file.getURI().toString().replaceFirst(".*(?=io/idempotency/internal)", ""))
                .containsExactlyInAnyOrderElementsOf(MigratedTables.ALL.stream()
                        .flatMap(feature ->
                                Stream.concat(feature.migrationFiles().stream(), Stream.of(feature.changelog())))
                        .toList());
    }

    @Test
    void whatAnApplicationHasWithoutMessagesAreThreeTablesAndTwoFunctions() {
        PostgresStorage storage = new PostgresStorage(database.dataSource(), "idempotency", List.of(CoreFeatures.CORE));
        storage.schema()
                .migrate(
                        database.dataSource(),
                        connection -> FlywayMigrations.run(
                                connection,
                                "idempotency",
                                storage.schema().features(),
                                getClass().getClassLoader()));

        storage.schema().validate();
        storage.engineVerifier().verifyTables();
        assertThat(storage.schema().findProblems()).isEmpty();
        assertThat(storage.statistics().sample(1).rows()).containsOnlyKeys("idempotency_request");
        assertThat(storage.statistics().sample(1).oldestExpired()).containsOnlyKeys("idempotency_request");
        assertThat(storage.purgeStore("test", false).begin(Duration.ZERO).tables())
                .allSatisfy(table -> assertThat(table.deleteExpired(10)).hasValue(0))
                .extracting(ExpiringTable::name)
                .containsExactly("idempotency_request", "response_body");
        assertThat(tablesOf("idempotency"))
                .containsExactly("idempotency_request", "idempotency_schema_history", "owner", "purge_lease");
        assertThat(namesIn("pg_proc", "proname", "pronamespace"))
                .containsExactly("idempotency_lock_id", "idempotency_request_id");
        assertThat(namesIn("pg_class where relkind = 'v'", "relname", "relnamespace"))
                .isEmpty();
        assertThat(namesIn("pg_type where typtype = 'd'", "typname", "typnamespace"))
                .isEmpty();
    }

    @Test
    void everythingTogetherHasNoTypesOfItsOwn() {
        start("idempotency.purge.archive=true", "idempotency.storage.processed-messages=day")
                .close();

        assertThat(namesIn("pg_type where typtype = 'd'", "typname", "typnamespace"))
                .isEmpty();
        assertThat(tablesOf("idempotency"))
                .containsAll(TABLES)
                .containsAll(ARCHIVES)
                .containsAll(PARTITIONS);
    }

    @Test
    void aFeatureThatIsSwitchedOnLaterGetsItsTablesAtTheNextStart() throws InterruptedException {
        try (ConfigurableApplicationContext first = start()) {
            first.getBean(Notebook.class).write("kept", "text");
        }
        assertThat(tablesOf("idempotency"))
                .doesNotContainAnyElementsOf(ARCHIVES)
                .doesNotContainAnyElementsOf(PARTITIONS);

        start("idempotency.storage.processed-messages=day", "idempotency.storage.maintenance=false")
                .close();
        assertThat(tablesOf("idempotency")).containsAll(PARTITIONS).doesNotContainAnyElementsOf(ARCHIVES);

        String archived = "idempotency.purge.archive=true";
        try (ConfigurableApplicationContext application = start(archived, "idempotency.purge.enabled=false")) {
            assertThat(tablesOf("idempotency")).containsAll(ARCHIVES);
            assertThat(namesIn(
                            "pg_attribute where attrelid = 'idempotency.processed_message_archive'::regclass",
                            "attname"))
                    .as("made while the table was in partitions")
                    .doesNotContain("stored_at");
            admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 day'");
            application.getBean(Purge.class).run();
        }
        assertThat(admin.queryForObject("select count(*) from idempotency.idempotency_request_archive", Integer.class))
                .isOne();
        start(archived).close();
    }

    /** In a native image a folder of the class path has a URL like resource:/io, whose files nobody can list. */
    @Test
    void aClassLoaderThatCannotListFilesMigratesToo() {
        ClassLoader cannotList = new ClassLoader(getClass().getClassLoader()) {
            @Override
            public URL getResource(String name) {
                return name.endsWith(".sql") ? super.getResource(name) : null;
            }

            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.startsWith("io/idempotency") && !name.endsWith(".sql")
                        ? Collections.emptyEnumeration()
                        : super.getResources(name);
            }
        };

        MigratedTables.storage(database.dataSource(), "idempotency")
                .schema()
                .migrate(
                        database.dataSource(),
                        connection -> FlywayMigrations.run(connection, "idempotency", MigratedTables.ALL, cannotList));

        assertThat(tablesOf("idempotency"))
                .containsAll(TABLES)
                .containsAll(ARCHIVES)
                .containsAll(PARTITIONS);
        start().close();
        assertThat(appliedVersions()).containsExactly("1");
    }

    @Test
    void secondStartChangesNothing() {
        try (ConfigurableApplicationContext first = start()) {
            first.getBean(Notebook.class).write("kept", "text");
        }
        List<Map<String, Object>> before = everythingInOurSchema();

        start().close();

        assertThat(everythingInOurSchema()).isEqualTo(before);
        assertThat(requests()).isOne();
    }

    @Test
    void schemaCanHaveAnotherName() {
        try (ConfigurableApplicationContext application = start("idempotency.schema=keys_of_ours")) {
            requireIdempotent(application);

            assertThat(tablesOf("keys_of_ours")).containsExactlyElementsOf(TABLES);
            assertThat(tablesOf("idempotency")).isEmpty();
        } finally {
            admin.execute("drop schema keys_of_ours cascade");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.auto-commit=false",
                "spring.datasource.hikari.schema=public",
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE",
                "spring.main.lazy-initialization=true"
            })
    @Tag("full")
    void migratesAndWorksWith(String property) {
        try (ConfigurableApplicationContext application = start(property)) {
            requireIdempotent(application);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"currentSchema=app", "currentSchema=nowhere", "options=-c%20search_path="})
    @Tag("full")
    void migratesAndWorksWhateverTheSearchPath(String parameter) {
        admin.execute("create schema if not exists app");
        String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + parameter;

        try (ConfigurableApplicationContext application = start("spring.datasource.url=" + url)) {
            requireIdempotent(application);
        }
        assertThat(tablesOf("idempotency")).containsExactlyElementsOf(TABLES);
        assertThat(tablesOf("app")).isEmpty();
        assertThat(tablesOf("public")).containsExactly("note");
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[] {Notebook.class}, properties);
    }

    private void requireIdempotent(ConfigurableApplicationContext application) {
        Notebook.assertIdempotent(application.getBean(Notebook.class), admin);
    }

    private List<String> tablesOf(String schema) {
        return admin.queryForList(
                "select tablename from pg_catalog.pg_tables where schemaname = ? order by 1", String.class, schema);
    }

    private List<String> namesIn(String catalog, String name, String schema) {
        return namesIn(
                catalog + (catalog.contains("where") ? " and " : " where ") + schema + " = 'idempotency'::regnamespace",
                name);
    }

    private List<String> namesIn(String catalog, String name) {
        return admin.queryForList("select " + name + " from " + catalog + " order by 1", String.class);
    }

    private List<String> appliedVersions() {
        return admin.queryForList(
                "select version from idempotency.idempotency_schema_history where success order by installed_rank",
                String.class);
    }

    /** Row versions of the catalog: any change to a table, an index, a function or a column would show. */
    private List<Map<String, Object>> everythingInOurSchema() {
        return admin.queryForList("""
                select relname::text as name, oid::text, xmin::text
                from pg_class where relnamespace = 'idempotency'::regnamespace
                union all
                select proname::text, oid::text, xmin::text
                from pg_proc where pronamespace = 'idempotency'::regnamespace
                union all
                select version, description, installed_on::text from idempotency.idempotency_schema_history
                order by 1, 2""");
    }

    private int requests() {
        return admin.queryForObject("select count(*) from idempotency.idempotency_request", Integer.class);
    }
}
