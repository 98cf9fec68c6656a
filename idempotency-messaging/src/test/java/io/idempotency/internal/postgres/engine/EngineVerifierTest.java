package io.idempotency.internal.postgres.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** Each way to void the guarantee is refused with a report of its own; each that only looks like one is not. */
class EngineVerifierTest {

    /** Functions and catalogs of the server are replaced, so each test has a database of its own. */
    private TestDatabase database;

    private JdbcTemplate admin;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        admin = database.jdbc();
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Nested
    class Server {

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
            CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15 21:28:29)         | CockroachDB     | lock nothing
            PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang 16.0.6  | YugabyteDB      | instead of waiting
            PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang 17    | YugabyteDB      | instead of waiting
            PostgreSQL 16 (Aurora DSQL 1.0)                                                  | Aurora DSQL     | at their COMMIT
            PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC), Redshift 1.0.1 | Amazon Redshift | unique constraints
            """)
        void isRefusedByItsName(String version, String product, String consequence) {
            replace("version() returns text", "select '" + version + "'");

            assertRefused(
                    verifier()::requireSuitableServer,
                    "cannot be kept in " + product + " (" + version + ")",
                    consequence,
                    "idempotency.data-source");
        }

        @Test
        void isPostgresqlInAurora() {
            replace(
                    "version() returns text",
                    "select 'PostgreSQL 16.4 on aarch64-unknown-linux-gnu, compiled by aarch64-unknown-linux-gnu-gcc'");

            assertThatCode(verifier()::requireSuitableServer).doesNotThrowAnyException();
        }

        @Test
        void isRefusedAsAStandby() {
            replace("pg_is_in_recovery() returns boolean", "select true");

            assertRefused(
                    verifier()::requireSuitableServer, "is a standby", "every call would fail", "targetServerType");
        }

        @Test
        void isRefusedIfItsTransactionsAreReadOnly() {
            assertRefused(
                    verifier(with("default_transaction_read_only=on"))::requireSuitableServer,
                    "transaction_read_only = on",
                    "every call would fail",
                    "default_transaction_read_only");
        }

        @Test
        void isRefusedIfTriggersDoNotFire() {
            assertRefused(
                    verifier(with("session_replication_role=replica"))::requireSuitableServer,
                    "session_replication_role = replica",
                    "would be handled again",
                    "Reset session_replication_role");
        }

        @Test
        void isRefusedIfThePoolIsReadOnly() {
            HikariConfig config = pooled();
            config.setReadOnly(true);
            try (HikariDataSource readOnly = new HikariDataSource(config)) {
                assertRefused(
                        verifier(readOnly)::requireSuitableServer,
                        "transaction_read_only = on",
                        "spring.datasource.hikari.read-only");
            }
        }

        @Test
        void isRefusedBehindAPoolerThatRefusesTransactions() {
            assertRefused(
                    verifier(ChangedConnections.refusingTransactions(database.adminDataSource()))
                            ::requireSuitableServer,
                    "cannot be queried in a transaction",
                    "transaction blocks not allowed in statement pooling mode",
                    "pool_mode to transaction or session");
        }

        @Test
        void isRefusedBehindAPoolerThatMixesUpPreparedStatements() {
            assertRefused(
                    verifier(ChangedConnections.withAnothersStatement(database.adminDataSource()))
                            ::requireSuitableServer,
                    "prepared statement \"S_1\" already exists",
                    "Add prepareThreshold=0 to the JDBC URL");
        }
    }

    @Nested
    class Safe {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "default_transaction_isolation=serializable",
                    "default_transaction_isolation=repeatable\\ read",
                    "default_transaction_deferrable=on",
                    "statement_timeout=10s",
                    "lock_timeout=1ms",
                    "search_path="
                })
        void isADefaultOfTheConnections(String option) {
            assertPasses(with(option));
        }

        @Test
        void isARoleWithTheGrantsOfTheMigrations() {
            String role = "plain_" + database.name();
            admin.execute("create role " + role + " login password 'secret'");
            try {
                PGSimpleDataSource application = dataSource();
                application.setUser(role);
                application.setPassword("secret");
                MigratedTables.storage(application, MigratedTables.SCHEMA)
                        .schema()
                        .migrate(database.adminDataSource(), connection -> {});

                assertPasses(application);
            } finally {
                admin.execute("drop owned by " + role + "; drop role " + role);
            }
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void isAPoolWithOrWithoutAutoCommit(boolean autoCommit) throws SQLException {
            HikariConfig config = pooled();
            config.setAutoCommit(autoCommit);
            config.setMaximumPoolSize(2);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                assertPasses(pool);

                try (Connection first = pool.getConnection();
                        Connection second = pool.getConnection()) {
                    assertThat(List.of(first.getAutoCommit(), second.getAutoCommit()))
                            .containsOnly(autoCommit);
                    assertThat(List.of(first.getNetworkTimeout(), second.getNetworkTimeout()))
                            .containsOnly(0);
                }
            }
        }

        @Test
        void isOneConnectionForAllBesidesTheWarning() throws SQLException {
            SingleConnectionDataSource single = new SingleConnectionDataSource(database.connection(), true);
            try {
                assertPassesWithWarning(single, "no second connection");
                assertThat(single.getConnection().getAutoCommit()).isTrue();
                assertThat(single.getConnection().getNetworkTimeout()).isZero();
            } finally {
                single.destroy();
            }
        }

        @Test
        void isATableThatRefusesTheKeyThatIsTried() {
            admin.execute("alter table idempotency.idempotency_request add check (caller <> '')");

            assertPassesWithWarning(dataSource(), "because a constraint");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "create index on idempotency.outbox_event (topic)",
                    "create unique index on idempotency.outbox_event (aggregate_type, aggregate_id)",
                    "create unique index on idempotency.processed_message (message_id, consumer, expires_at)",
                    "create trigger audit after insert on idempotency.processed_message for each row execute function audit()",
                    "create trigger audit before insert on idempotency.outbox_event for each statement execute function audit()",
                    "alter table idempotency.outbox_event enable row level security"
                })
        void isAChangeThatLosesNothing(String change) {
            admin.execute("create function audit() returns trigger language plpgsql as 'begin return null; end'");
            admin.execute(change);

            assertPasses(database.adminDataSource());
        }

        @Test
        void isAPoolOfOneConnectionWhichIsNotWaitedForLong() throws SQLException {
            try (HikariDataSource pool = database.dataSource(1)) {
                pool.setConnectionTimeout(Duration.ofSeconds(30).toMillis());
                assertPassesWithWarning(pool, "no second connection");

                // The connection that came too late was given back.
                try (Connection again = pool.getConnection()) {
                    assertThat(again.getAutoCommit()).isTrue();
                }
            }
        }

        @Test
        void isAPoolerWithOneConnectionOfTheServerBesidesTheWarning() {
            assertPassesWithWarning(ChangedConnections.sharingOneOfTheServer(dataSource()), "no second connection");
        }

        @Test
        void isATableInPartitions() {
            admin.execute("select idempotency.partition_processed_message(now() - interval '1 day', now())");

            assertPasses(database.adminDataSource());
        }

        @Test
        void areConnectionsWithoutSynchronousCommitBesidesTheWarning() {
            assertPassesWithWarning(with("synchronous_commit=off"), "synchronous_commit = off");
        }

        @ParameterizedTest
        @CsvSource({"fsync, false", "full_page_writes, false", "fsync, true"})
        void isAServerThatMayLoseDataInACrashBesidesAWarningOutsideOfTests(String setting, boolean isTest) {
            admin.execute("alter function pg_catalog.current_setting(text) rename to really_current_setting");
            replace("current_setting(text) returns text", """
                    select case when $1 in ('fsync', 'full_page_writes')
                        then case when $1 = '%s' then 'off' else 'on' end else really_current_setting($1) end""".formatted(setting));
            EngineVerifier verifier = new EngineVerifier(
                    new Schema(MigratedTables.SCHEMA), database.adminDataSource(), CoreFeatures.all(), isTest);

            List<String> warnings = warningsOf(
                    () -> assertThatCode(verifier::requireSuitableServer).doesNotThrowAnyException());

            assertThat(warnings)
                    .hasSize(isTest ? 0 : 1)
                    .allSatisfy(line -> assertThat(line)
                            .contains("fsync = off or full_page_writes = off", "a crash of its machine"));
        }

        private void assertPassesWithWarning(DataSource dataSource, String warning) {
            assertThat(warningsOf(() -> assertTimeout(Duration.ofSeconds(15), () -> assertPasses(dataSource))))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains(warning));
        }

        private List<String> warningsOf(Runnable verification) {
            ListAppender<ILoggingEvent> lines = new ListAppender<>();
            lines.start();
            Logger logger = (Logger) LoggerFactory.getLogger(EngineVerifier.class);
            logger.addAppender(lines);
            try {
                verification.run();
            } finally {
                logger.detachAppender(lines);
            }
            return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }

        private void assertPasses(DataSource dataSource) {
            EngineVerifier verifier = verifier(dataSource);

            assertThatCode(verifier::requireSuitableServer).doesNotThrowAnyException();
            assertThatCode(verifier::verifyTables).doesNotThrowAnyException();

            assertThat(admin.queryForObject("select count(*) from idempotency.idempotency_request", Long.class))
                    .isZero();
        }
    }

    @Nested
    class Tables {

        @ParameterizedTest
        @CsvSource({
            "create view %1$s as select * from old_%1$s, a view",
            "create materialized view %1$s as select * from old_%1$s, a materialized view",
            "create foreign table %1$s (request_id uuid) server elsewhere, a foreign table"
        })
        void areRefusedIfSomethingElseIsInThePlaceOfOne(String create, String kind) {
            admin.execute(
                    "create foreign data wrapper elsewhere; create server elsewhere foreign data wrapper elsewhere");
            for (String table : List.of("idempotency_request", "message_failure")) {
                admin.execute("alter table idempotency." + table + " rename to old_" + table);
                admin.execute("set search_path = idempotency; " + create.formatted(table) + "; reset search_path");

                assertRefused(
                        verifier()::verifyTables,
                        table + " in schema 'idempotency' is " + kind,
                        "take effect again",
                        "Give " + table + " another name");

                admin.execute("set search_path = idempotency; drop " + kind.replaceFirst("an? ", "") + " " + table
                        + "; alter table old_" + table + " rename to " + table + "; reset search_path");
            }
        }

        @Test
        void areRefusedIfAViewWithATriggerIsInThePlaceOfOne() {
            admin.execute("""
                    alter table idempotency.outbox_event rename to old_outbox_event;
                    create view idempotency.outbox_event as select * from idempotency.old_outbox_event;
                    create function insert_instead() returns trigger language plpgsql as $$
                    begin
                        return new;
                    end
                    $$;
                    create trigger instead instead of insert on idempotency.outbox_event for each row
                        execute function insert_instead()""");

            assertRefused(verifier()::verifyTables, "outbox_event in schema 'idempotency' is a view");
        }

        @ParameterizedTest
        @CsvSource({
            "idempotency_request, idempotency_request_pkey, request_id",
            "processed_message, processed_message_pkey, 'consumer, message_id'",
            "message_failure, message_failure_pkey, 'consumer, message_id'",
            "stream_position, stream_position_pkey, 'consumer, stream_id'",
            "outbox_event, outbox_event_deduplication, 'deduplication_key, topic'"
        })
        void areRefusedWithoutTheirUniqueIndex(String table, String constraint, String columns) {
            admin.execute("alter table idempotency." + table + " drop constraint " + constraint);

            IdempotencyStartupException refused = assertRefused(
                    verifier()::verifyTables,
                    "table " + table + " in schema 'idempotency' has no valid unique index on (" + columns + ")",
                    "take effect again");

            admin.execute(refused.action().replaceFirst("^.*: (alter table .*)\\.$", "$1"));
            assertThatCode(verifier()::verifyTables).doesNotThrowAnyException();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "add unique (consumer, message_id) deferrable",
                    "add unique (consumer)",
                    "add unique (consumer, message_id, processed_at)",
                    "add column n int; create unique index on idempotency.processed_message (consumer, message_id) where n = 1",
                    "add column n int; create unique index on idempotency.processed_message (consumer) include (message_id)",
                    "add column n int; create unique index on idempotency.processed_message (consumer, message_id, (n + 1))",
                    "add unique (consumer, message_id); update pg_index set indisvalid = false where indexrelid ="
                            + " 'idempotency.processed_message_consumer_message_id_key'::regclass"
                })
        void areRefusedWithAnIndexThatDoesNotRefuseEveryRepeat(String other) {
            admin.execute("alter table idempotency.processed_message drop constraint processed_message_pkey;"
                    + "alter table idempotency.processed_message " + other);

            assertRefused(verifier()::verifyTables, "processed_message", "no valid unique index");
        }

        /** Each change voids the guarantee without a statement that fails. */
        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
            alter table %s set unlogged                                      | idempotency_request      | UNLOGGED  | alter table "idempotency".idempotency_request set logged
            alter table %s set unlogged                                      | purge_lease              | UNLOGGED  | alter table "idempotency".purge_lease set logged
            alter table %s set unlogged                                      | processed_message        | UNLOGGED  | set logged
            alter table %s set unlogged                                      | message_failure          | UNLOGGED  | set logged
            alter table %s set unlogged                                      | stream_position          | UNLOGGED  | set logged
            alter table %s set unlogged                                      | outbox_event             | UNLOGGED  | set logged
            alter table %s set unlogged                                      | outbox_event_archive     | UNLOGGED  | set logged
            alter table %s set unlogged                                      | processed_message_head   | UNLOGGED  | set logged
            alter sequence idempotency.outbox_event_sequence_seq set unlogged | outbox_event            | UNLOGGED  | alter sequence
            alter table %s alter sequence set cache 50                       | outbox_event             | ordering key | set cache 1
            alter table %s alter sequence set cycle                          | outbox_event             | ordering key | set no cycle
            create table kept () inherits (%s)                               | idempotency_request      | no unique index holds for both | no inherit
            create table kept () inherits (%s)                               | processed_message        | no unique index holds for both | no inherit
            create rule late as on insert to %s do instead nothing           | processed_message        | rules     | drop rule <name> on
            create rule late as on update to %s do instead nothing           | outbox_event             | rules     | drop rule <name> on
            create trigger skip before insert on %s for each row execute function skip() | processed_message | BEFORE trigger | AFTER trigger
            create trigger skip before update on %s for each row execute function skip() | outbox_event      | BEFORE trigger | AFTER trigger
            alter table %s alter message_id type bpchar(40)                  | processed_message        | different keys for equal | as in the migrations
            alter table %s alter message_id type text collate same           | processed_message        | different keys for equal | as in the migrations
            alter table %s alter stream_id type text collate same            | stream_position          | different keys for equal | as in the migrations
            create unique index on %s (payload_hash)                         | processed_message        | different keys for equal | as in the migrations
            create unique index on %s (topic, deduplication_key) nulls not distinct | outbox_event      | different keys for equal | as in the migrations
            """)
        void areRefusedIfTheyForgetOrMissRows(String change, String table, String problem, String action) {
            admin.execute(
                    "create function skip() returns trigger language plpgsql as 'begin return null; end'; create collation"
                            + " same (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            String alteration = change.replace("%s", "idempotency." + table)
                    .replace("alter sequence set", "alter column sequence set");
            int version = admin.queryForObject(
                    "select current_setting('server_version_num')::integer / 10000", Integer.class);
            assumeThat(version >= 15 || (!change.contains("nulls not") && !change.contains("alter sequence i")))
                    .isTrue();
            admin.execute(alteration);

            assertRefused(verifier()::verifyTables, "table " + table + " in schema 'idempotency'", problem, action);
        }

        @Test
        void areRefusedWithOneReportOfAllThatIsWrong() {
            admin.execute(
                    "alter table idempotency.idempotency_request set unlogged; alter table idempotency.outbox_event set unlogged;"
                            + "create table kept () inherits (idempotency.stream_position)");

            assertRefused(
                    verifier()::verifyTables,
                    "Each of the tables idempotency_request, outbox_event in schema 'idempotency' may forget",
                    "table stream_position in schema 'idempotency' has tables that inherit",
                    "alter table \"idempotency\".idempotency_request set logged; alter table \"idempotency\".outbox_event set logged.");
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
            alter table idempotency.%s set unlogged           | UNLOGGED
            alter table idempotency.%s disable trigger look   | no enabled trigger 'look'
            alter table idempotency.%s enable replica trigger look | no enabled trigger 'look'
            """)
        void areRefusedIfAPartitionForgetsOrMissesRows(String change, String problem) {
            admin.execute("select idempotency.partition_processed_message(now() - interval '1 day', now())");
            String partition = admin.queryForObject(
                    "select name from idempotency.processed_message_partition where closed_at is null", String.class);
            admin.execute(change.replace("%s", partition));

            assertRefused(verifier()::verifyTables, "table " + partition, problem);
        }

        @Test
        void areRefusedIfPoliciesHideRows() {
            String role = "restricted_" + database.name();
            admin.execute("alter table idempotency.outbox_event enable row level security; create role " + role
                    + "; grant usage on schema idempotency to " + role
                    + "; grant select, insert, update, delete on all tables in schema idempotency to " + role);
            try {
                assertRefused(
                        verifier(with("role=" + role))::verifyTables,
                        "table outbox_event in schema 'idempotency' has row level security",
                        "disable row level security",
                        "BYPASSRLS");
            } finally {
                admin.execute("drop owned by " + role + "; drop role " + role);
            }
        }

        @Test
        void areRefusedIfAPartitionHasNoUniqueIndex() {
            admin.execute("select idempotency.partition_processed_message(now() - interval '1 day', now())");
            String partition = admin.queryForObject(
                    "select name from idempotency.processed_message_partition where closed_at is null", String.class);
            admin.execute("alter table idempotency." + partition + " drop constraint " + partition + "_key");

            assertRefused(verifier()::verifyTables, "The table " + partition, "no valid unique index");
        }

        /** The row of a subscription's own catalog, because a real one needs a publisher with wal_level=logical. */
        @Test
        void areRefusedAsTheTargetOfASubscription() {
            changeCatalogs("""
                    create subscription filling connection 'host=127.0.0.1 port=1' publication filled
                        with (connect = false, slot_name = none);
                    insert into pg_subscription_rel (srsubid, srrelid, srsubstate)
                    select oid, 'idempotency.stream_position'::regclass, 'r' from pg_subscription where subname = 'filling'""");
            assertThatCode(verifier()::verifyTables)
                    .as("the subscription is disabled")
                    .doesNotThrowAnyException();
            changeCatalogs("update pg_subscription set subenabled = true where subname = 'filling'");

            assertRefused(
                    verifier()::verifyTables,
                    "table stream_position in schema 'idempotency' is the target of a subscription",
                    "would both take effect",
                    "drop the subscription");

            changeCatalogs("update pg_subscription set subenabled = false");
            admin.execute("drop subscription filling");
        }

        @ParameterizedTest
        @CsvSource({
            "idempotency_request, idempotency_key, on its column idempotency_key, distribute it on request_id or caller",
            "processed_message, consumer, on its column consumer, distribute it on message_id",
            "message_failure, consumer, on its column consumer, distribute it on message_id",
            "stream_position, consumer, on its column consumer, distribute it on stream_id",
            "outbox_event, message_id, on its column message_id, local to the coordinator",
            "purge_lease, one_row, on its column one_row, local to the coordinator",
            "owner, kind, on its column kind, local to the coordinator",
            "processed_message_partition, name, on its column name, local to the coordinator",
            "processed_message_head, one_row, on its column one_row, local to the coordinator",
            "idempotency_request, , a reference table, distribute it on request_id or caller",
            "outbox_event, , a reference table, local to the coordinator"
        })
        void areRefusedIfCitusDistributesThemOtherwise(String table, String column, String problem, String action) {
            distribute(table, column);

            assertRefused(
                    verifier()::verifyTables,
                    "table " + table + " in schema 'idempotency'",
                    problem,
                    "select undistribute_table('idempotency." + table + "')",
                    action);
        }

        @Test
        void areRefusedIfCitusDistributesThemByRanges() {
            distribute("idempotency_request", "request_id");
            changeCatalogs("update pg_catalog.pg_dist_partition set partmethod = 'r'");

            assertRefused(verifier()::verifyTables, "table idempotency_request", "without the hash of a column");
        }

        @ParameterizedTest
        @CsvSource({
            "idempotency_request, request_id",
            "idempotency_request, caller",
            "processed_message, message_id",
            "message_failure, message_id",
            "stream_position, stream_id",
        })
        void passIfCitusDistributesThemRightly(String table, String column) {
            distribute(table, column);

            assertThatCode(verifier()::verifyTables).doesNotThrowAnyException();
        }

        @Test
        void areRefusedIfCitusMayLoseMessages() {
            distribute("idempotency_request", "request_id");
            admin.execute("alter table idempotency.outbox_event disable trigger commit_in_two_phases");

            assertRefused(
                    verifier()::verifyTables,
                    "outbox_event",
                    "may commit in one phase",
                    "trigger commit_in_two_phases");
        }

        /** In Citus's own catalog, as Citus 8 to 13 have it. */
        private void distribute(String table, String column) {
            admin.execute("""
                    create function commit_in_two_phases() returns trigger language plpgsql as 'begin return null; end';
                    create trigger commit_in_two_phases after insert on idempotency.outbox_event
                        for each statement execute function commit_in_two_phases()""");
            changeCatalogs("""
                    create table pg_catalog.pg_dist_partition (
                        logicalrelid regclass not null, partmethod "char" not null, partkey text,
                        colocationid integer not null default 0, repmodel "char" not null default 's')""");
            admin.update("""
                    insert into pg_catalog.pg_dist_partition (logicalrelid, repmodel, partmethod, partkey)
                    select cast(? as regclass), 't', case when cast(? as text) is null then 'n' else 'h' end, (
                        select format('{VAR :varno 1 :varattno %s :vartype %s :vartypmod -1 :varcollid 950}', attnum, atttypid)
                        from pg_attribute
                        where attrelid = cast(? as regclass) and attname = ?)""", "idempotency." + table, column, "idempotency." + table, column);
        }

        private void changeCatalogs(String sql) {
            admin.execute("set allow_system_table_mods = on; " + sql + "; reset allow_system_table_mods");
        }
    }

    @Nested
    class Trial {

        private static final String TRY_LOCK = "pg_try_advisory_xact_lock(bigint) returns boolean";

        @Test
        void findsLocksThatLockNothing() {
            replace(TRY_LOCK, "select true");

            assertRefused(
                    verifier()::verifyTables,
                    "lock that one transaction holds was granted to another one",
                    "schema 'idempotency'",
                    "relays send the same messages",
                    "lock nothing");
        }

        @Test
        void findsLocksThatNobodyGets() {
            replace(TRY_LOCK, "select false");

            assertRefused(verifier()::verifyTables, "nobody holds was not granted", "No relay would send");
        }

        @Test
        void findsLocksThatOutliveTheirTransaction() {
            replace(TRY_LOCK, "select pg_try_advisory_lock($1)");

            assertRefused(verifier()::verifyTables, "not released at the end of its transaction", "stay held");
        }

        @Test
        void findsThatATransactionGetsItsOwnKeyTwice() {
            changeIdIf("true");

            assertRefused(
                    verifier()::verifyTables, "granted twice in one transaction", "would both take effect", "triggers");
        }

        @Test
        void findsThatTwoTransactionsGetOneKey() {
            changeIdIf("not pg_try_advisory_xact_lock(42)");

            assertRefused(
                    verifier()::verifyTables,
                    "one open transaction holds was granted to another",
                    "would both take effect",
                    "one and the same PostgreSQL server");
        }

        @Test
        void findsConnectionsToTwoServers() throws SQLException {
            try (TestDatabase another = TestDatabase.create()) {
                DataSource balanced = alternating(database, another);

                // The locks of another server are not held either.
                assertRefused(verifier(balanced)::verifyTables, "holds was granted to another one");
            }
        }

        @Test
        void findsAPoolerThatEndsTransactionsEarly() {
            assertRefused(
                    verifier(ChangedConnections.withoutTransactions(database.adminDataSource()))::verifyTables,
                    "lock that one transaction holds was granted to another one",
                    "pool_mode to transaction or session");
        }

        @Test
        void findsThatAnInsertedRowIsSeenBeforeTheCommit() {
            replace(TRY_LOCK, "select pg_try_advisory_lock($1)");

            assertRefused(
                    verifier(ChangedConnections.withoutTransactions(database.adminDataSource()))::verifyTables,
                    "not committed was seen by another",
                    "answered as if it had succeeded",
                    "auto-commit");
        }

        @Test
        void findsThatARollbackKeepsTheKey() {
            assertRefused(
                    verifier(ChangedConnections.committingInstead(database.adminDataSource()))::verifyTables,
                    "A claim of a key whose transaction was rolled back was not granted (SUCCEEDED)",
                    "answered as if they had succeeded");
        }

        @Test
        @Tag("full")
        void findsThatAStatementDoesNotEndAtItsTimeout() {
            admin.execute("alter function pg_catalog.set_config(text, text, boolean) rename to really_set_config");
            replace("set_config(text, text, boolean) returns text", """
                    select case when $1 = 'statement_timeout' then $2 else really_set_config($1, $2, $3) end""");

            assertRefused(
                    verifier()::verifyTables, "does not end a statement at statement_timeout", "wait without an end");
            database.backends().awaitIdle();
        }

        @Test
        void reportsAnythingElseThatFails() {
            admin.execute("""
                    create function refuse() returns trigger language plpgsql as $$
                    begin
                        raise 'not today';
                    end
                    $$;
                    create trigger refuse before insert on idempotency.idempotency_request for each row
                        execute function refuse()""");

            assertRefused(
                    verifier()::verifyTables,
                    "could not be tried in the idempotency tables in schema 'idempotency'",
                    "not today",
                    "idempotency.verify-engine = false");
        }

        /** As if the index did not see the first row. */
        private void changeIdIf(String condition) {
            admin.execute("""
                    create function change_id() returns trigger language plpgsql as $$
                    begin
                        if %s then
                            new.request_id := gen_random_uuid();
                        end if;
                        return new;
                    end
                    $$;
                    create trigger change_id before insert on idempotency.idempotency_request for each row
                        execute function change_id()""".formatted(condition));
        }
    }

    private static IdempotencyStartupException assertRefused(Runnable verification, String... parts) {
        IdempotencyStartupException refused =
                catchThrowableOfType(IdempotencyStartupException.class, verification::run);
        assertThat(refused).isNotNull().hasMessageContainingAll(parts);
        assertThat(refused.problem()).contains(parts[0]).endsWith(".");
        assertThat(refused.action()).endsWith(".");
        return refused;
    }

    /** Replaces a function of PostgreSQL in this database. */
    private void replace(String function, String body) {
        admin.execute("create or replace function pg_catalog.%s language sql as '%s'"
                .formatted(function, body.replace("'", "''")));
    }

    private EngineVerifier verifier() {
        return verifier(database.adminDataSource());
    }

    private static EngineVerifier verifier(DataSource dataSource) {
        return MigratedTables.storage(dataSource, MigratedTables.SCHEMA).engineVerifier();
    }

    private PGSimpleDataSource with(String option) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setOptions("-c " + option);
        return dataSource;
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        return dataSource;
    }

    private HikariConfig pooled() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource());
        return config;
    }

    /** Connects to each database in turn. */
    private static DataSource alternating(TestDatabase first, TestDatabase second) {
        return new AbstractDataSource() {

            private boolean isSecond = true;

            @Override
            public synchronized Connection getConnection() throws SQLException {
                isSecond = !isSecond;
                return (isSecond ? second : first).connection();
            }

            @Override
            public Connection getConnection(String username, String password) throws SQLException {
                return getConnection();
            }
        };
    }
}
