package io.idempotency.boot.documentation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.integration.spring.SpringResourceAccessor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every statement of the page for operators is one that PostgreSQL executes, with the tables of an application by default. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class OperationsPageTest {

    private static final Pattern MIGRATION = Pattern.compile("^-- ([a-z-]+/V\\d+__\\w+\\.sql)$", Pattern.MULTILINE);

    private static final String MIGRATIONS = "io/idempotency/internal/postgres/migration/";

    @AutoClose
    private final ConfigurableApplicationContext application;

    OperationsPageTest(TestDatabase database) {
        application = JdbcTestApplication.start(database, new Class<?>[0]);
    }

    static Stream<MarkdownFile.CodeBlock> questions() throws IOException {
        return blocks().filter(block -> !isSetup(block));
    }

    @ParameterizedTest
    @MethodSource("questions")
    void whatOperatorsAskAndChangeIsUnderstood(MarkdownFile.CodeBlock block) {
        assertThatCode(() -> application.getBean(JdbcTemplate.class).execute(block.code()))
                .doesNotThrowAnyException();
    }

    @Test
    void whyACustomerWasServedTwiceIsFound() throws IOException {
        IdempotencyOperations operations = application.getBean(IdempotencyOperations.class);
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("truncate idempotency.idempotency_request");
        operations.call("payments", "a-key", "4200 cents").run(() -> {});
        Instant effect = Instant.now();
        assertThat(ask("-- the key"))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("attempt_count", 1)
                        .hasEntrySatisfying(
                                "created_at",
                                time -> assertThat(((Timestamp) time).toInstant())
                                        .isBefore(effect)));
        assertThat(ask("-- two keys")).isEmpty();

        operations.call("payments", "b-key", "4200 cents").run(() -> {});
        operations.call("payments", "c-key", "another intent").run(() -> {});
        assertThat(ask("-- two keys"))
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("idempotency_key", "b-key"));

        operations.call("payments", "a-key", "4200 cents").caller("ada").run(() -> {});
        assertThat(ask("-- the key")).extracting(row -> row.get("caller")).containsExactlyInAnyOrder("", "ada");

        jdbc.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 s'");
        jdbc.execute("delete from idempotency.idempotency_request where expires_at < now()");
        IdempotencyOperations.Call leased =
                operations.call("payments", "a-key", "4200 cents").leased(Duration.ofMinutes(1));
        assertThatThrownBy(() -> leased.run(() -> {
                    throw new IllegalStateException("the provider did not answer");
                }))
                .hasMessage("the provider did not answer");
        leased.run(() -> {});
        assertThat(ask("-- the key"))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("attempt_count", 2)
                        .hasEntrySatisfying(
                                "created_at",
                                time -> assertThat(((Timestamp) time).toInstant())
                                        .isAfter(effect)));
    }

    private List<Map<String, Object>> ask(String beginning) throws IOException {
        return application
                .getBean(JdbcTemplate.class)
                .queryForList(blocks().map(MarkdownFile.CodeBlock::code)
                        .filter(code -> code.startsWith(beginning + "\n"))
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void theMigrationsAreListedInTheirOrder() throws IOException {
        assertThat(setups().stream()
                        .flatMap(block -> MIGRATION.matcher(block.code()).results())
                        .map(file -> MIGRATIONS + file.group(1)))
                .containsExactlyElementsOf(MigratedTables.ALL.stream()
                        .flatMap(feature -> feature.migrationFiles().stream())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "'core,messaging', idempotency.purge.archive=false",
        "'core,core-archive,messaging,messaging-archive', idempotency.purge.archive=true",
        "'core,messaging,partitions', idempotency.storage.processed-messages=day"
    })
    void whatADatabaseAdministratorRunsIsAllThatTheApplicationNeeds(String features, String property)
            throws IOException {
        List<String> needed = List.of(features.split(","));
        try (TestDatabase empty = TestDatabase.createEmpty()) {
            JdbcTemplate owner = empty.jdbc();
            owner.execute("create role my_application login password 'secret'");
            try {
                for (MarkdownFile.CodeBlock setup : setups()) {
                    if (needed.stream().anyMatch(feature -> setup.code().contains("-- " + feature + "/"))) {
                        owner.execute(withMigrations(setup.code()));
                    }
                }

                try (ConfigurableApplicationContext migrated = JdbcTestApplication.start(
                        empty,
                        new Class<?>[0],
                        "spring.datasource.username=my_application",
                        "spring.datasource.password=secret",
                        "idempotency.migrate=false",
                        property)) {
                    assertThat(migrated.getBean(PostgresStorage.class).schema().findProblems())
                            .isEmpty();
                }
            } finally {
                owner.execute("drop owned by my_application; drop role my_application");
            }
        }
    }

    @Test
    void theChangelogsOfThePageAreAllThatTheApplicationNeeds(@TempDir Path directory) throws IOException {
        try (TestDatabase empty = TestDatabase.createEmpty()) {
            startWithLiquibase(empty, changelog(directory));
        }
    }

    @Test
    void tablesThatFlywayHasMigratedAreLiquibasesAfterASync(@TempDir Path directory) throws Exception {
        String changelog = changelog(directory);
        try (TestDatabase empty = TestDatabase.createEmpty()) {
            JdbcTestApplication.start(empty, new Class<?>[0]).close();
            assertThatThrownBy(() -> startWithLiquibase(empty, changelog))
                    .rootCause()
                    .hasMessageContaining("relation \"idempotency_request\" already exists");

            try (Connection connection = empty.connection()) {
                Scope.child(
                        Scope.Attr.resourceAccessor,
                        new SpringResourceAccessor(new DefaultResourceLoader()),
                        () -> new CommandScope("changelogSync")
                                .addArgumentValue(
                                        "database",
                                        DatabaseFactory.getInstance()
                                                .findCorrectDatabaseImplementation(new JdbcConnection(connection)))
                                .addArgumentValue("changelogFile", changelog)
                                .execute());
            }

            startWithLiquibase(empty, changelog);
        }
    }

    private static String changelog(Path directory) throws IOException {
        MarkdownFile.CodeBlock snippet = blocks("yaml")
                .filter(block -> block.code().contains("databaseChangeLog"))
                .findFirst()
                .orElseThrow();
        return Files.writeString(directory.resolve("changelog.yaml"), snippet.code())
                .toUri()
                .toString();
    }

    private static void startWithLiquibase(TestDatabase database, String changelog) {
        try (ConfigurableApplicationContext migrated = JdbcTestApplication.start(
                database,
                new Class<?>[] {WithLiquibase.class},
                "idempotency.migrate=false",
                "spring.liquibase.change-log=" + changelog)) {
            assertThat(migrated.getBean(PostgresStorage.class).schema().findProblems())
                    .isEmpty();
        }
    }

    private static List<MarkdownFile.CodeBlock> setups() throws IOException {
        return blocks().filter(OperationsPageTest::isSetup).toList();
    }

    private static Stream<MarkdownFile.CodeBlock> blocks() throws IOException {
        return blocks("sql");
    }

    private static Stream<MarkdownFile.CodeBlock> blocks(String language) throws IOException {
        return MarkdownFile.all().stream()
                .filter(page -> page.toString().equals("operations.md"))
                .flatMap(page -> page.code(language).stream());
    }

    private static boolean isSetup(MarkdownFile.CodeBlock block) {
        return MIGRATION.matcher(block.code()).find();
    }

    private static String withMigrations(String code) throws IOException {
        Matcher migration = MIGRATION.matcher(code);
        StringBuilder script = new StringBuilder();
        while (migration.find()) {
            String sql =
                    new ClassPathResource(MIGRATIONS + migration.group(1)).getContentAsString(StandardCharsets.UTF_8);
            migration.appendReplacement(script, Matcher.quoteReplacement(sql.replace("${schema}", "idempotency")));
        }
        return migration.appendTail(script).toString();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LiquibaseAutoConfiguration.class)
    static class WithLiquibase {}
}
