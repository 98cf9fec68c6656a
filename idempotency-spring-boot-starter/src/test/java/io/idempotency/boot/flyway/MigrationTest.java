package io.idempotency.boot.flyway;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.test.PostgresTest;

import static org.assertj.core.api.Assertions.assertThat;

/** What starting an application does to a database that has no migrations but ours. */
@PostgresTest(empty = true)
class MigrationTest extends NotebookTests {

    private static final String[] TABLES = {
        "idempotency_request",
        "idempotency_request_archive",
        "idempotency_schema_history",
        "message_failure",
        "message_failure_archive",
        "outbox_event",
        "outbox_event_archive",
        "processed_message",
        "processed_message_archive",
        "processed_message_head",
        "processed_message_partition",
        "purge_lease",
        "stream_position"
    };

    @Test
    void firstStartCreatesTheSchemaTheTablesAndAHistoryOfItsOwn() {
        start().close();

        assertThat(tablesOf("idempotency")).containsExactly(TABLES);
        assertThat(tablesOf("public")).containsExactly("note");
        assertThat(appliedVersions()).containsExactly("1", "2", "3", "4");
    }

    @Test
    void everyMigrationIsListed() throws IOException {
        assertThat(new PathMatchingResourcePatternResolver()
                        .getResources("classpath*:" + StorageSchema.MIGRATIONS + "/*"))
                .extracting(Resource::getFilename)
                .containsExactlyInAnyOrderElementsOf(StorageSchema.MIGRATION_FILES);
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

        new PostgresStorage(database.dataSource(), "idempotency")
                .schema()
                .migrate(
                        database.dataSource(),
                        connection -> IdempotencySchemaInitializer.migrate(connection, "idempotency", cannotList));

        assertThat(tablesOf("idempotency")).containsExactly(TABLES);
        start().close();
        assertThat(appliedVersions()).containsExactly("1", "2", "3", "4");
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

            assertThat(tablesOf("keys_of_ours")).containsExactly(TABLES);
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
        assertThat(tablesOf("idempotency")).containsExactly(TABLES);
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
