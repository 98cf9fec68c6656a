package io.idempotency.boot.flyway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.test.PostgresTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The changelogs of all modules on the class path, which an application's Liquibase runs in place of our Flyway. */
@PostgresTest(empty = true)
class LiquibaseChangelogTest extends NotebookTests {

    @TempDir
    private Path directory;

    /** The properties with which an application has all features of these modules. */
    String[] everything() {
        return new String[] {"idempotency.purge.archive=true"};
    }

    static List<StorageFeature> features() {
        return MigratedTables.ALL;
    }

    @AfterEach
    void forgetWhatLiquibaseHasRun() {
        admin.execute("drop table if exists public.databasechangelog, public.databasechangeloglock");
    }

    @ParameterizedTest
    @MethodSource("features")
    void everyMigrationHasAChangeSetThatRunsItAsItIs(StorageFeature feature) throws Exception {
        List<Element> files = elements(feature.changelog(), "sqlFile");

        assertThat(files)
                .extracting(file -> file.getAttribute("path"))
                .containsExactlyElementsOf(feature.migrationFiles());
        assertThat(files).allSatisfy(file -> {
            assertThat(file.getAttribute("splitStatements")).isEqualTo("false");
            assertThat(file.getAttribute("stripComments")).isEqualTo("false");
            assertThat(file.getAttribute("encoding")).isEqualTo("UTF-8");
            assertThat(((Element) file.getParentNode()).getAttribute("id") + ".sql")
                    .isEqualTo(Path.of(file.getAttribute("path")).getFileName().toString());
        });
        assertThat(elements(feature.changelog(), "databaseChangeLog"))
                .extracting(changelog -> changelog.getAttribute("logicalFilePath"))
                .containsExactly(feature.changelog());
    }

    @Test
    @Tag("full")
    void liquibaseMakesWhatFlywayMakes() throws IOException {
        MigratedTables.in(database);
        List<String> byFlyway = everythingInOurSchema();
        admin.execute("drop schema idempotency cascade");

        try (ConfigurableApplicationContext application = start(everything())) {
            Notebook.assertIdempotent(application.getBean(Notebook.class), admin);
        }

        assertThat(byFlyway).anyMatch(line -> line.startsWith("function"));
        assertThat(everythingInOurSchema()).containsExactlyElementsOf(byFlyway);
        assertThat(
                        admin.queryForList(
                                "select tablename from pg_tables where schemaname = 'idempotency' and tablename like '%history'"))
                .as("tables of Flyway")
                .isEmpty();
        start(everything()).close();
    }

    /** A role that may not create a schema needs one that exists. */
    @Test
    @Tag("full")
    void theSchemaMayExistAndHaveAnotherName() throws IOException {
        admin.execute("create schema keys_of_ours");

        try (ConfigurableApplicationContext application = start(JdbcTestApplication.and(
                everything(), "idempotency.schema=keys_of_ours", "spring.liquibase.parameters.schema=keys_of_ours"))) {
            Notebook.assertIdempotent(application.getBean(Notebook.class), admin);
        } finally {
            admin.execute("drop schema keys_of_ours cascade");
        }
        assertThat(admin.queryForList("select 1 from pg_namespace where nspname = 'idempotency'"))
                .isEmpty();
    }

    private ConfigurableApplicationContext start(String... properties) throws IOException {
        Path changelog = Files.writeString(
                directory.resolve("changelog.yaml"),
                features().stream()
                        .map(feature -> "- include: {file: %s}\n".formatted(feature.changelog()))
                        .collect(Collectors.joining("", "databaseChangeLog:\n", "")));
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {ApplicationMigrationsTest.WithLiquibase.class, Notebook.class},
                JdbcTestApplication.and(
                        properties,
                        "idempotency.migrate=false",
                        "idempotency.purge.enabled=false",
                        "spring.liquibase.change-log=" + changelog.toUri()));
    }

    private static List<Element> elements(String file, String name) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        try (InputStream content = new ClassPathResource(file).getInputStream()) {
            NodeList found = factory.newDocumentBuilder().parse(content).getElementsByTagNameNS("*", name);
            return IntStream.range(0, found.getLength())
                    .mapToObj(index -> (Element) found.item(index))
                    .toList();
        }
    }

    /** Each relation, column, index, constraint, trigger, view and function, without what Flyway needs for itself. */
    private List<String> everythingInOurSchema() {
        return admin.queryForList("""
                with relation as (
                    select * from pg_class
                    where relnamespace = 'idempotency'::regnamespace and relname not like '%history')
                select concat_ws('|', 'relation', relname, relkind, relpersistence, reloptions::text, relowner::regrole,
                    obj_description(oid, 'pg_class'), case when relkind = 'v' then pg_get_viewdef(oid) end)
                from relation where relkind <> 'i' and relkind <> 'I'
                union all
                select concat_ws('|', 'column', r.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                    a.attnotnull, a.attcompression, a.attstorage, a.attidentity, a.attcollation::regcollation,
                    pg_get_expr(d.adbin, d.adrelid), col_description(r.oid, a.attnum))
                from relation r
                join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
                left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                where r.relkind <> 'i' and r.relkind <> 'I'
                union all
                select concat_ws('|', 'index', pg_get_indexdef(i.indexrelid))
                from pg_index i join relation r on r.oid = i.indrelid
                union all
                select concat_ws('|', 'constraint', r.relname, c.conname, pg_get_constraintdef(c.oid))
                from pg_constraint c join relation r on r.oid = c.conrelid
                union all
                select concat_ws('|', 'trigger', pg_get_triggerdef(t.oid))
                from pg_trigger t join relation r on r.oid = t.tgrelid
                union all
                select concat_ws('|', 'function', pg_get_functiondef(oid), proacl::text, obj_description(oid, 'pg_proc'))
                from pg_proc where pronamespace = 'idempotency'::regnamespace
                order by 1""", String.class);
    }
}
