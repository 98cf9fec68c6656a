package io.idempotency.internal.postgres.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** When the functions are installed, replaced, or left as they are. */
@PostgresTest(empty = true)
@Tag("full")
class SqlFunctionsInstallationTest {

    private static final String CLAIM =
            "select claim_kind from idempotency.idempotency_claim('s', 'k', sha256(''), 'me')";

    private static final int VERSION = CoreFeatures.CORE.functions().version();

    private static final Pattern FUNCTION =
            Pattern.compile("CREATE OR REPLACE (?:FUNCTION|PROCEDURE) \"\\$\\{schema}\"\\.(\\w+)");

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final String role;

    private final Logger logger = (Logger) LoggerFactory.getLogger(SqlFunctions.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    SqlFunctionsInstallationTest(TestDatabase database) {
        this.database = database;
        this.admin = new JdbcTemplate(database.adminDataSource());
        this.role = "plain_" + database.name();
    }

    @BeforeEach
    void prepare() {
        admin.execute("create role " + role + " login password 'secret'");
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void dropEverything() {
        logger.detachAppender(log);
        admin.execute("drop schema if exists idempotency cascade");
        admin.execute("drop owned by " + role + "; drop role " + role);
    }

    @Test
    void theLibraryKnowsTheVersionOfItsScript() {
        assertThat(script(CoreFeatures.SQL_FUNCTIONS)).contains("AS 'SELECT " + VERSION + "'");
        assertThat(script(MessagingFeatures.SQL_FUNCTIONS))
                .contains(
                        "AS 'SELECT " + MessagingFeatures.MESSAGING.functions().version() + "'");
    }

    @Test
    void thePurgeInSqlKnowsTheTablesAndConditionsOfTheOther() {
        assertThat(script(CoreFeatures.SQL_FUNCTIONS))
                .contains(
                        "RETURN ARRAY['idempotency_request'] || of_messages || ARRAY['response_body']",
                        "condition := '%s'"
                                .formatted(CoreFeatures.IDEMPOTENCY_REQUEST
                                        .expiryCondition()
                                        .replace("'", "''")));
        List<StorageTable> expiring = MessagingFeatures.MESSAGING.tables().stream()
                .filter(StorageTable::expires)
                .toList();
        assertThat(expiring).extracting(StorageTable::expiryCondition).containsOnly(StorageTable.ALWAYS);
        assertThat(script(MessagingFeatures.SQL_FUNCTIONS))
                .contains(expiring.stream()
                        .map(StorageTable::name)
                        .collect(Collectors.joining("', '", "SELECT ARRAY['", "']")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency", "_x", "a_1", "user", "public"})
    void worksInASchemaOfAnyName(String schema) {
        MigratedTables.withFunctionsIn(database.adminDataSource(), schema);

        assertThat(admin.queryForObject(
                        "select claim_kind from \"%s\".idempotency_claim('s', 'k', sha256(''), 'me')".formatted(schema),
                        String.class))
                .isEqualTo("new_claim");
        assertThat(log.list).isEmpty();
    }

    @Test
    void noSearchPathMatters() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        admin.execute("""
                create schema evil;
                create function evil.sha256(bytea) returns bytea language sql as $$ select '\\x00'::bytea $$;
                create function evil.clock_timestamp() returns timestamptz language sql as $$ select 'epoch'::timestamptz $$;
                create table evil.idempotency_request (mine int)""");

        String kind = admin.queryForObject("""
                with path as materialized (select set_config('search_path', 'evil, pg_catalog', false) as value)
                select claim_kind
                from path, idempotency.idempotency_claim(
                    's' || left(path.value, 0), 'k', pg_catalog.sha256(''), 'me')""", String.class);

        assertThat(kind).isEqualTo("new_claim");
        assertThat(admin.queryForObject(
                        "select claimed_at > now() - interval '1 hour' from idempotency.idempotency_request",
                        Boolean.class))
                .isTrue();
    }

    @Test
    void secondInstallationChangesNothing() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        List<String> before = rowVersions();

        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);

        assertThat(rowVersions()).isEqualTo(before);
    }

    @Test
    void olderFunctionsAreReplaced() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        pretendVersion(VERSION - 1);
        replaceAdvance();

        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);

        assertThat(version()).isEqualTo(VERSION);
        assertThat(advanceIsReplaced()).isFalse();
    }

    @Test
    void newerFunctionsAreKept() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        pretendVersion(VERSION + 1);
        replaceAdvance();

        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);

        assertThat(version()).isEqualTo(VERSION + 1);
        assertThat(advanceIsReplaced()).isTrue();
        assertThat(log.list).isEmpty();
    }

    /** A role that migrates tables which it may not add anything to. */
    @Test
    void roleThatMayCreateNothingIsWarnedAndItsMigrationsAreKept() {
        migrateWithout("create on schema idempotency");

        assertWarned("permission denied for schema idempotency");
        assertThat(admin.queryForObject("select to_regclass('idempotency.of_this_start') is not null", Boolean.class))
                .isTrue();
        assertThat(functions()).isEmpty();
    }

    /** The grant is taken back where the tables are there, because they could not be made without it. */
    private void migrateWithout(String right) {
        admin.execute("create schema idempotency authorization " + role);
        MigratedTables.in(plain(), MigratedTables.SCHEMA);
        PostgresStorage storage = MigratedTables.storage(plain(), MigratedTables.SCHEMA);
        storage.schema().migrate(plain(), connection -> {
            new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                    .execute("create table idempotency.of_this_start (); revoke " + right + " from " + role);
            storage.schema().installFunctions(connection);
        });
    }

    @Test
    void functionsOfAnotherOwnerAreLeftWithAWarning() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        pretendVersion(VERSION - 1);
        admin.execute("grant all on schema idempotency to " + role);
        DataSource plain = plain();
        PostgresStorage storage = MigratedTables.storage(plain, MigratedTables.SCHEMA);

        storage.schema().migrate(plain, storage.schema()::installFunctions);

        assertWarned("must be owner of function idempotency_require_name");
        assertThat(version()).isEqualTo(VERSION - 1);
    }

    /** As an administrator leaves them who has run a part of the script, or restored it. */
    @ParameterizedTest
    @CsvSource({"idempotency_stale, core, 0", "outbox_pending, messaging, 1"})
    void viewOfAnotherOwnerIsLeftWithAWarning(String view, String feature, int replacedBefore) {
        admin.execute("create schema idempotency authorization " + role);
        MigratedTables.withFunctionsIn(plain(), MigratedTables.SCHEMA);
        admin.execute("alter view idempotency.%s owner to current_user".formatted(view));
        pretendVersion(VERSION - 1);

        MigratedTables.withFunctionsIn(plain(), MigratedTables.SCHEMA);

        assertWarned("must be owner of view " + view, "sql-functions/" + feature + ".sql");
        assertThat(version()).isEqualTo(VERSION - 1 + replacedBefore);
        assertThat(admin.queryForObject("select idempotency.idempotency_messaging_functions_version()", Integer.class))
                .isEqualTo(VERSION - 1);
    }

    /** As default privileges may have it. */
    @Test
    void functionsThatMustNotBeCalledAreLeftWithAWarning() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        admin.execute("grant all on schema idempotency to " + role
                + "; revoke execute on all routines in schema idempotency from public");
        DataSource plain = plain();
        PostgresStorage storage = MigratedTables.storage(plain, MigratedTables.SCHEMA);

        storage.schema().migrate(plain, storage.schema()::installFunctions);

        assertWarned("permission denied for function idempotency_functions_version");
    }

    @Test
    void whatTheApplicationHasUnderSuchANameIsLeftWithAWarning() {
        MigratedTables.in(database.adminDataSource(), MigratedTables.SCHEMA);
        admin.execute("create table idempotency.outbox_pending (id int)");

        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);

        assertWarned("\"outbox_pending\" is not a view", MessagingFeatures.SQL_FUNCTIONS);
        assertThat(functions())
                .as("those of calls alone")
                .extracting(ScriptFunction::name)
                .contains("idempotency_claim")
                .doesNotContain("idempotency_publish");
    }

    @Test
    void otherFailuresAreNotMadeLight() {
        MigratedTables.in(database.adminDataSource(), MigratedTables.SCHEMA);
        PostgresStorage storage = MigratedTables.storage(database.adminDataSource(), MigratedTables.SCHEMA);

        assertThatThrownBy(() -> storage.schema().migrate(database.adminDataSource(), connection -> {
                    new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                            .execute(
                                    "set local default_transaction_read_only = on; set local transaction_read_only = on");
                    storage.schema().installFunctions(connection);
                }))
                .isInstanceOf(StorageSchemaException.class)
                .hasMessageContaining("read-only transaction");
    }

    @Test
    @Tag("race")
    void manyAtOnceInstallThemOnce() {
        ConcurrentCalls.run(8, () -> MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA))
                .requireAllSucceeded();

        assertThat(version()).isEqualTo(VERSION);
        assertThat(functions().stream().map(ScriptFunction::writtenBy).distinct())
                .as("savepoints in which functions were written, one for each script")
                .hasSize(2);
        assertThat(log.list).isEmpty();
    }

    @Test
    void callersNeedTheRightToExecuteAndNone() {
        PostgresStorage storage = MigratedTables.storage(database.adminDataSource(), MigratedTables.SCHEMA);
        storage.schema().migrate(database.adminDataSource(), connection -> {
            MigratedTables.migrate(connection, MigratedTables.SCHEMA);
            storage.schema().installFunctions(connection);
        });
        JdbcTemplate worker = new JdbcTemplate(plain());
        admin.execute("grant usage on schema idempotency to " + role);

        assertThatThrownBy(() -> worker.queryForObject(CLAIM, String.class))
                .rootCause()
                .hasMessageContaining("permission denied for function idempotency_claim");

        admin.execute("grant execute on function idempotency.idempotency_claim to " + role);
        assertThat(worker.queryForObject(CLAIM, String.class)).isEqualTo("new_claim");
        assertThatThrownBy(() -> worker.queryForList("select * from idempotency.idempotency_request"))
                .rootCause()
                .hasMessageContaining("permission denied for table idempotency_request");

        admin.execute("grant select on idempotency.idempotency_by_scope to " + role);
        assertThat(worker.queryForList("select requests from idempotency.idempotency_by_scope", Long.class))
                .containsExactly(1L);
    }

    /** A part of another function, with the rights of the owner, would do more than the rule of that function. */
    @Test
    void nobodyMayCallWhatIsNotMeantForCallers() {
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);

        assertThat(admin.queryForList("""
                        select f.proname
                        from pg_proc as f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) as acl
                        where f.pronamespace = 'idempotency'::regnamespace and acl.grantee = 0
                        order by f.proname""", String.class))
                .filteredOn(name -> name.startsWith("idempotency"))
                .containsExactly(
                        "idempotency_functions_version",
                        "idempotency_lock_id",
                        "idempotency_messaging_functions_version",
                        "idempotency_request_id");
    }

    private void assertWarned(String reason) {
        assertWarned(reason, CoreFeatures.SQL_FUNCTIONS);
    }

    private void assertWarned(String reason, String script) {
        assertThat(log.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains(
                            "schema 'idempotency'",
                            reason,
                            script,
                            "idempotency.migration.user",
                            "idempotency.sql-functions = false");
        });
    }

    private int version() {
        return admin.queryForObject("select idempotency.idempotency_functions_version()", Integer.class);
    }

    private void pretendVersion(int version) {
        admin.execute("""
                create or replace function idempotency.idempotency_functions_version() returns integer
                language sql as 'select %1$d';
                create or replace function idempotency.idempotency_messaging_functions_version() returns integer
                language sql as 'select %1$d'""".formatted(version));
    }

    private void replaceAdvance() {
        admin.execute("""
                create or replace function idempotency.idempotency_advance(consumer text, stream text, version bigint)
                returns boolean language sql as 'select null::boolean'""");
    }

    private boolean advanceIsReplaced() {
        return admin.queryForObject("select idempotency.idempotency_advance('c', 's', 1) is null", Boolean.class);
    }

    /** Those of the script, and not those of the migrations. */
    private List<ScriptFunction> functions() {
        List<String> names = FUNCTION.matcher(
                        script(CoreFeatures.SQL_FUNCTIONS) + script(MessagingFeatures.SQL_FUNCTIONS))
                .results()
                .map(name -> name.group(1))
                .toList();
        return admin
                .query(
                        "select proname, xmin::text from pg_proc where pronamespace = 'idempotency'::regnamespace",
                        (row, number) -> new ScriptFunction(row.getString(1), row.getString(2)))
                .stream()
                .filter(function -> names.contains(function.name()))
                .toList();
    }

    private record ScriptFunction(String name, String writtenBy) {}

    private List<String> rowVersions() {
        return admin.queryForList("""
                select proname || ' ' || oid || ' ' || xmin
                from pg_proc where pronamespace = 'idempotency'::regnamespace
                union all
                select relname || ' ' || oid || ' ' || xmin
                from pg_class where relnamespace = 'idempotency'::regnamespace
                order by 1""", String.class);
    }

    private static String script(String location) {
        try {
            return new ClassPathResource(location).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A role that may connect, and nothing else. */
    private DataSource plain() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword("secret");
        return dataSource;
    }
}
