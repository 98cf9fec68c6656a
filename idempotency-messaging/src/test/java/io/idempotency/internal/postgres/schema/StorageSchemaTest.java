package io.idempotency.internal.postgres.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.outbox.NewMessage;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@PostgresTest(empty = true)
class StorageSchemaTest {

    private static final String PASSWORD = "secret";

    private final TestDatabase database;
    private final JdbcTemplate admin;

    /** Roles belong to the whole server, so this one's name tells whose it is. */
    private final String role;

    StorageSchemaTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.role = "plain_" + database.name();
    }

    @BeforeEach
    void createRole() {
        admin.execute("create role " + role + " login password '" + PASSWORD + "'");
    }

    @AfterEach
    void dropEverything() {
        admin.execute("drop schema if exists idempotency cascade");
        admin.execute("drop owned by " + role + "; drop role " + role);
    }

    @Test
    void supportsTheServersOfTheTests() {
        assertThatCode(() -> schema(database.adminDataSource()).requireSupportedServer())
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "serializable"})
    @Tag("race")
    @Tag("full")
    void isMigratedOnceByManyAtOnceWhateverTheirIsolation(String isolation) {
        PGSimpleDataSource owner = dataSource(database.username(), database.password());
        owner.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));

        ConcurrentCalls.run(8, () -> MigratedTables.in(owner, MigratedTables.SCHEMA))
                .requireAllSucceeded();

        assertThat(admin.queryForList(
                        "select version from idempotency.idempotency_messaging_history where type = 'SQL'",
                        String.class))
                .containsExactly("1", "2");
    }

    /** As a role has it whose migrations are not to wait for long transactions on the tables. */
    @Test
    @Tag("race")
    void waitsForInstancesThatStartTooWhateverTheLockTimeout() throws SQLException {
        PGSimpleDataSource owner = dataSource(database.username(), database.password());
        owner.setOptions("-c lock_timeout=1ms");
        try (Session other = new Session(database)) {
            other.execute(Schema.LOCK);
            ConcurrentCalls<String> waiting = ConcurrentCalls.start(List.of(() -> {
                List<String> limits = new ArrayList<>();
                schema(owner)
                        .migrate(
                                owner,
                                connection ->
                                        limits.add(new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                                                .queryForObject("show lock_timeout", String.class)));
                return limits.get(0);
            }));
            database.backends().awaitBlocked(1);
            other.rollback();

            assertThat(waiting.await().requireAllSucceeded()).containsExactly("1ms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout"})
    void isMigratedWhateverTheLimitsOfTheRole(String limit) {
        assumeTrue(admin.queryForObject("select current_setting(?, true) is not null", Boolean.class, limit));
        PGSimpleDataSource owner = dataSource(database.username(), database.password());
        owner.setOptions("-c " + limit + "=100");

        assertThatCode(() -> schema(owner).migrate(owner, connection -> {
                    MigratedTables.migrate(connection, MigratedTables.SCHEMA);
                    // Either the statement or the time between two statements is longer than the limit.
                    if (limit.startsWith("idle")) {
                        admin.queryForList("select pg_sleep(0.3)");
                    } else {
                        execute(connection, "select pg_sleep(0.3)");
                    }
                }))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "set local statement_timeout = 50, canceling statement due to statement timeout",
        "set local transaction_timeout = 50, terminating connection due to transaction timeout",
        "set lock_timeout = 50, canceling statement due to lock timeout"
    })
    void namesTheLimitsAndNoRoleIfOneHasEndedAMigration(String setting, String reason) throws SQLException {
        String name = setting.replaceFirst(" =.*", "").replaceFirst(".* ", "");
        assumeTrue(admin.queryForObject("select current_setting(?, true) is not null", Boolean.class, name));
        try (Session other = new Session(database)) {
            other.execute("select pg_advisory_lock(4711)");

            assertThatThrownBy(() -> schema(database.adminDataSource())
                            .migrate(database.adminDataSource(), connection -> {
                                execute(connection, setting);
                                execute(connection, "select pg_advisory_lock(4711)");
                            }))
                    .isInstanceOfSatisfying(StorageSchemaException.class, failure -> {
                        assertThat(failure).hasMessageContaining(reason);
                        assertThat(failure.action())
                                .startsWith("A limit has ended it, no right is missing. Start again")
                                .contains("idempotency.migrate = false")
                                .doesNotContain("Name a role");
                    });
            other.rollback();
        }
    }

    private static void execute(Connection connection, String sql) {
        new JdbcTemplate(new SingleConnectionDataSource(connection, true)).execute(sql);
    }

    @Test
    void isMigratedOnOneConnection() {
        MigratedTables.in(database.dataSource(1), MigratedTables.SCHEMA);

        assertThatCode(() -> schema(database.adminDataSource()).validate()).doesNotThrowAnyException();
    }

    @Test
    void isLeftAsItWasByAMigrationThatFails() {
        assertThatThrownBy(() -> schema(database.adminDataSource()).migrate(database.adminDataSource(), connection -> {
                    MigratedTables.migrate(connection, MigratedTables.SCHEMA);
                    throw new IllegalStateException("the second migration is broken");
                }))
                .isInstanceOf(StorageSchemaException.class)
                .hasMessageContainingAll("'idempotency' could not be migrated", "the second migration is broken");

        assertThat(admin.queryForObject("select count(*) from pg_namespace where nspname = 'idempotency'", Long.class))
                .isZero();
    }

    @Test
    void thatIsThereNeedsNoRightToCreateIt() {
        admin.execute("create schema idempotency authorization " + role);

        assertThatCode(() -> MigratedTables.in(plain(), MigratedTables.SCHEMA)).doesNotThrowAnyException();
    }

    @Test
    void thatIsMissingNeedsTheRightToCreateIt() {
        assertMigrationRefused("permission denied for database");
    }

    @Test
    void thatMayNotBeFilledIsReportedWithoutTryingTo() {
        admin.execute("create schema idempotency; grant usage on schema idempotency to " + role);

        assertMigrationRefused("permission denied for schema idempotency");
    }

    private void assertMigrationRefused(String reason) {
        assertThatThrownBy(() -> schema(plain()).migrate(plain(), connection -> fail("should not have begun")))
                .isInstanceOf(StorageSchemaException.class)
                .hasMessageContainingAll(
                        "'idempotency' could not be migrated",
                        reason,
                        "idempotency.migration.user",
                        "idempotency.migrate = false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency", "_x", "a_1", "public", "user"})
    @Tag("full")
    void mayHaveAPlainName(String name) {
        MigratedTables.in(database.adminDataSource(), name);

        assertThatCode(() -> MigratedTables.storage(database.adminDataSource(), name)
                        .schema()
                        .validate())
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Idempotency",
                "1a",
                "a-b",
                "a\"; drop schema public; --",
                "a b",
                "\u00e4",
                "a234567890123456789012345678901234567890123456789012345678901234"
            })
    void mayNotHaveANameThatNeedsQuotes(String name) {
        assertThatThrownBy(() -> MigratedTables.storage(database.adminDataSource(), name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("idempotency.schema", name);
    }

    @Nested
    class Validation {

        @BeforeEach
        void migrate() {
            MigratedTables.in(database.adminDataSource(), MigratedTables.SCHEMA);
        }

        @Test
        void passesAfterTheGrantsThatItNames() {
            assertThatThrownBy(() -> schema(plain()).validate())
                    .isInstanceOfSatisfying(
                            StorageSchemaException.class,
                            refused -> assertThat(refused.action())
                                    .contains(
                                            "grant usage on schema \"idempotency\" to <role of the application>",
                                            "grant select, insert, update, delete on \"idempotency\".idempotency_request"
                                                    + " to <role of the application>"));

            migrateFor(plain());

            assertThatCode(() -> schema(plain()).validate()).doesNotThrowAnyException();
            assertThat(schema(plain()).findProblems()).isEmpty();
        }

        @Test
        void theGrantsSufficeForEverything() throws Exception {
            migrateFor(plain());

            try (Session session = new Session(plain())) {
                session.call(Requests.request("order-42"), "1");
                session.call(Requests.request("order-42"), "1");
                assertThat(session.query("select idempotency.idempotency_request_id('payments', 'order-42')"))
                        .isEqualTo(Requests.request("order-42").id().toString());
            }
            try (Session session = new Session(plain())) {
                new PostgresMessageStorage(plain(), MigratedTables.SCHEMA)
                        .outboxStore(Duration.ofDays(3), "shop")
                        .record(
                                session.connection(),
                                new NewMessage(
                                        UUID.randomUUID(),
                                        OutboxMessage.of("orders", "OrderPlaced")
                                                .withoutPayload()
                                                .build(),
                                        0,
                                        "1",
                                        Map.of(),
                                        null));
                session.commit();
            }
            admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 day'");
            assertThat(purgeOnce(false)).isEqualTo(1);
            try (Session session = new Session(plain())) {
                session.call(Requests.request("order-43"), "1");
            }
            admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 day'");
            assertThat(purgeOnce(true)).isEqualTo(1);
            PostgresStorage storage = MigratedTables.storage(plain(), MigratedTables.SCHEMA);
            assertThat(storage.statistics().sample(1).rows()).containsKey("outbox_event");
            assertThat(storage.statistics().sample(1).oldestExpired()).containsKey("outbox_event");
            assertThat(storage.statistics().sample(1).staleLeases()).isZero();
        }

        private int purgeOnce(boolean archive) {
            PurgeLease lease = MigratedTables.storage(plain(), MigratedTables.SCHEMA)
                    .purgeStore("test", archive)
                    .begin(Duration.ZERO);
            return lease.tables().stream()
                    .mapToInt(table -> table.deleteExpired(10).orElseThrow())
                    .sum();
        }

        @Test
        void ofTheArchiveIsAskedForByWhoArchives() {
            migrateFor(plain());
            admin.execute("revoke insert on idempotency.outbox_event_archive from " + role);
            assertThatCode(() -> new StorageSchema(
                                    new Schema(MigratedTables.SCHEMA), plain(), MessagingFeatures.of(false, false))
                            .validate())
                    .doesNotThrowAnyException();
            assertArchiveRefused("permission denied for table outbox_event_archive");
            assertThat(schema(plain()).findProblems()).containsExactly("outbox_event_archive may not be used: INSERT");

            admin.execute("alter table idempotency.processed_message_archive drop column message_type");
            assertArchiveRefused("column \"message_type\" of relation \"processed_message_archive\" does not exist");
        }

        private void assertArchiveRefused(String reason) {
            assertThatThrownBy(() -> schema(plain()).validate())
                    .isInstanceOfSatisfying(StorageSchemaException.class, refused -> {
                        assertThat(refused.problem()).contains("schema 'idempotency'", reason);
                        assertThat(refused.action())
                                .contains(
                                        "migration/messaging-archive/V1__messages_archive.sql",
                                        "grant insert on \"idempotency\".outbox_event_archive to <role");
                    });
        }

        @Test
        void grantsToARoleWhoseNameNeedsQuotes() {
            String quoted = "\"My App " + database.name() + "\"";
            admin.execute("alter role " + role + " rename to " + quoted);
            try {
                DataSource application = dataSource(quoted.replace("\"", ""), PASSWORD);
                admin.execute("alter role " + quoted + " password '" + PASSWORD + "'");

                migrateFor(application);

                assertThatCode(() -> schema(application).validate()).doesNotThrowAnyException();
            } finally {
                admin.execute("alter role " + quoted + " rename to " + role);
            }
        }

        @Test
        void missesTheSchema() {
            migrateFor(plain());
            admin.execute("drop schema idempotency cascade");

            assertRefused(
                    "there is no idempotency_request, purge_lease, owner (core), idempotency_request_archive (core-archive)");
        }

        @ParameterizedTest
        @CsvSource({
            "idempotency_request, core, V1__requests.sql",
            "purge_lease, core, V1__requests.sql",
            "owner, core, V1__requests.sql",
            "idempotency_request_archive, core-archive, V1__requests_archive.sql",
            "message_failure, messaging, V1__inbox.sql",
            "stream_position, messaging, V1__inbox.sql",
            "outbox_event, messaging, V2__outbox.sql",
            "message_failure_archive, messaging-archive, V1__messages_archive.sql",
            "processed_message_partition, partitions, V1__partitions.sql"
        })
        void missesATable(String table, String feature, String file) {
            migrateFor(plain());
            admin.execute("drop table idempotency." + table);

            assertRefused("there is no " + table + " (" + feature + ")", feature + "/" + file);
            assertThat(schema(plain()).findProblems()).containsExactly(table + " does not exist");
        }

        @Test
        void missesAColumnOfThisVersion() {
            migrateFor(plain());
            admin.execute("alter table idempotency.idempotency_request drop column claim_token");

            assertRefused("column \"claim_token\" does not exist");
        }

        @Test
        void missesTheRightToUseTheSchema() {
            admin.execute("grant all on idempotency.idempotency_request to " + role);

            assertRefused("permission denied for schema idempotency");
            assertThatThrownBy(() -> schema(plain()).findProblems())
                    .rootCause()
                    .hasMessageContaining("permission denied for schema idempotency");
        }

        @Test
        void missesTheRightToRead() {
            admin.execute("grant usage on schema idempotency to " + role);
            admin.execute("grant insert, update, delete on idempotency.idempotency_request to " + role);

            assertRefused("permission denied for table idempotency_request");
        }

        @ParameterizedTest
        @CsvSource({
            "insert, idempotency_request",
            "update, idempotency_request",
            "delete, idempotency_request",
            "insert, processed_message",
            "delete, message_failure",
            "update, stream_position"
        })
        @Tag("full")
        void missesTheRightToWrite(String missing, String table) {
            migrateFor(plain());
            admin.execute("revoke " + missing + " on idempotency." + table + " from " + role);

            assertThatThrownBy(() -> schema(plain()).validate())
                    .isInstanceOf(StorageSchemaException.class)
                    .hasMessageContaining("no right to " + missing.toUpperCase(Locale.ROOT) + " on")
                    .hasMessageContaining("grant select, insert, update, delete");
            assertThat(schema(plain()).findProblems())
                    .containsExactly(table + " may not be used: " + missing.toUpperCase(Locale.ROOT));
        }

        private void assertRefused(String reason) {
            assertRefused(reason, "migration/core/V1__requests.sql");
        }

        private void assertRefused(String reason, String file) {
            assertThatThrownBy(() -> schema(plain()).validate())
                    .isInstanceOfSatisfying(StorageSchemaException.class, refused -> {
                        assertThat(refused.problem()).contains("schema 'idempotency'", reason);
                        assertThat(refused.action()).contains("idempotency.migrate = true", file, "grant usage");
                    });
        }
    }

    @Test
    void theTablesThatExpireAreNamedAsInTheSchema() {
        assertThat(MigratedTables.storage(database.adminDataSource(), MigratedTables.SCHEMA)
                        .purgeStore("test", false)
                        .begin(Duration.ZERO)
                        .tables())
                .extracting(ExpiringTable::name)
                .containsExactly(
                        "idempotency_request", "processed_message", "message_failure", "outbox_event", "response_body");
    }

    private StorageSchema schema(DataSource dataSource) {
        return MigratedTables.storage(dataSource, MigratedTables.SCHEMA).schema();
    }

    /** Migrates as the owner of the tables, who lets the application's role use them. */
    private void migrateFor(DataSource application) {
        schema(application)
                .migrate(
                        database.adminDataSource(),
                        connection -> MigratedTables.migrate(connection, MigratedTables.SCHEMA));
    }

    /** A role that may connect, and nothing else. */
    private DataSource plain() {
        return dataSource(role, PASSWORD);
    }

    private PGSimpleDataSource dataSource(String user, String password) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(user);
        dataSource.setPassword(password);
        return dataSource;
    }
}
