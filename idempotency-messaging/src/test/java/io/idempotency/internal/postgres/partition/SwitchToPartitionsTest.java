package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.util.List;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Deliveries.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** What others have given to a table is there after it was put in partitions, or it is not put in some. */
@PostgresTest
@Tag("full")
class SwitchToPartitionsTest {

    private static final String SWITCH = """
            select idempotency.partition_processed_message(
                date_trunc('day', now(), 'UTC'), date_trunc('day', now(), 'UTC') + interval '24 hours')""";

    private static final String NOT_NOW = "55000";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final String role;

    private final Logger logger = (Logger) LoggerFactory.getLogger(EmptyTablePartitioning.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private PostgresMessageStorage storage;

    SwitchToPartitionsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.role = "reader_" + database.name();
    }

    @BeforeEach
    void migrate() {
        admin.execute("create role " + role + " login password 'secret'");
        MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
        storage = new PostgresMessageStorage(database.adminDataSource(), MigratedTables.SCHEMA);
        admin.execute("""
                grant usage on schema idempotency to %1$s;
                grant select on idempotency.processed_message_head, idempotency.processed_message_earlier to %1$s;
                grant select, insert, delete on idempotency.message_failure to %1$s""".formatted(role));
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void dropEverything() {
        logger.detachAppender(log);
        admin.execute("drop schema idempotency cascade; drop owned by %1$s; drop role %1$s".formatted(role));
    }

    @Test
    void rightsToColumnsAreCarriedOver() {
        admin.execute("""
                grant select (consumer, message_id) on idempotency.processed_message to %1$s with grant option;
                grant insert (consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at)
                    on idempotency.processed_message to %1$s;
                grant update (payload_hash) on idempotency.processed_message to public""".formatted(role));
        List<String> before = rightsToColumns();

        admin.execute(SWITCH);

        assertThat(rightsToColumns()).hasSize(10).isEqualTo(before);
        JdbcTemplate reader = new JdbcTemplate(reader());
        String insert = """
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                values ('invoices', 'm-1', now(), now())
                on conflict do nothing""";
        assertThat(reader.update(insert)).isOne();
        assertThat(reader.update(insert)).isZero();
        assertThat(reader.queryForList("select message_id from idempotency.processed_message", String.class))
                .containsExactly("m-1");
        assertThatThrownBy(() -> reader.queryForList("select payload_hash from idempotency.processed_message"))
                .rootCause()
                .hasMessageContaining("permission denied for table processed_message");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter table idempotency.processed_message enable row level security",
                "create policy own on idempotency.processed_message using (consumer = current_user)"
            })
    void rowLevelSecurityIsNotLostSilently(String security) {
        admin.execute(security);

        assertRefused("has row level security", "make them again for the new table");

        assertThat(storage.partitionIfEmpty(database.adminDataSource(), PartitionPeriod.DAY))
                .isFalse();
        assertThat(log.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("processed_message", "has row level security", "Hint: Disable it")
                    .doesNotContain("\n", "PL/pgSQL");
        });
    }

    @Test
    void rightsAreThoseOfTheOldTableAndNoOthers() {
        admin.execute("""
                alter table idempotency.processed_message add column once text;
                grant select (once) on idempotency.processed_message to public;
                alter table idempotency.processed_message drop column once;
                grant select on idempotency.processed_message to %1$s with grant option;
                grant insert, update (consumer), references (consumer) on idempotency.processed_message to public;
                alter default privileges in schema idempotency grant delete, truncate on tables to %1$s, public""".formatted(role));
        List<String> before = rights();

        admin.execute(SWITCH);

        assertThat(kindOfTable()).isEqualTo("p");
        assertThat(rights()).hasSize(4).isEqualTo(before);
    }

    @Test
    void materializedViewIsNotLeftOverTheOldTable() {
        admin.execute(
                "create materialized view idempotency.counted as select count(*) from idempotency.processed_message");

        assertThat(storage.partitionIfEmpty(database.adminDataSource(), PartitionPeriod.DAY))
                .isFalse();

        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("the materialized view idempotency.counted over idempotency.processed_message")
                        .contains("Hint: Drop it and create it again afterwards"));
        assertThat(kindOfTable()).isEqualTo("r");
    }

    /** The look reads as the owner of the view, whom policies of the new table do not concern. */
    @Test
    void policiesOfTheNewTableHideNoEarlierMessage() throws SQLException {
        admin.execute("grant select, insert on idempotency.processed_message to " + role);
        admin.execute(SWITCH);
        admin.execute("""
                create policy adding on idempotency.processed_message for insert with check (true);
                create policy nothing on idempotency.processed_message for select using (false);
                alter table idempotency.processed_message enable row level security;
                insert into idempotency.processed_message_%s (consumer, message_id, processed_at, expires_at, stored_at)
                values ('invoices', 'm-1', now(), now(), date_trunc('day', now(), 'UTC'));
                update idempotency.processed_message_head
                set open_from = open_until, open_until = open_until + interval '24 hours'""".formatted(today()));
        admin.execute("""
                select idempotency.add_processed_message_partition(open_from, open_until)
                from idempotency.processed_message_head""");

        try (Deliveries deliveries = new Deliveries(reader())) {
            assertThat(deliveries.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);
            assertThat(deliveries.query("select count(*) from idempotency.processed_message"))
                    .isEqualTo("0");
        }
    }

    @Test
    void viewOfAnotherOwnerIsNotLeftOverTheOldTable() {
        admin.execute("create view idempotency.handled as select * from idempotency.processed_message");
        admin.execute("""
                grant create on schema idempotency to %1$s;
                do 'declare owned text;
                begin
                    for owned in
                        select ''table '' || oid::regclass from pg_class
                        where relnamespace = ''idempotency''::regnamespace and relkind in (''r'', ''v'') and relname <> ''handled''
                        union all
                        select ''routine '' || oid::regprocedure from pg_proc
                        where pronamespace = ''idempotency''::regnamespace
                    loop
                        execute format(''alter %%s owner to %1$s'', owned);
                    end loop;
                end'""".formatted(role));
        DataSource owner = reader();
        PostgresMessageStorage asOwner = new PostgresMessageStorage(owner, MigratedTables.SCHEMA);

        assertThat(asOwner.partitionIfEmpty(owner, PartitionPeriod.DAY)).isFalse();

        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains(
                                "processed_message",
                                "the view idempotency.handled over idempotency.processed_message belongs to postgres"));
        assertThat(kindOfTable()).isEqualTo("r");
        admin.execute("alter view idempotency.handled owner to " + role);
        assertThat(asOwner.partitionIfEmpty(owner, PartitionPeriod.DAY)).isTrue();
    }

    private void assertRefused(String reason, String remedy) {
        assertThatThrownBy(() -> admin.execute(SWITCH))
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .asInstanceOf(type(SQLException.class))
                .satisfies(refusal -> {
                    assertThat(refusal.getSQLState()).isEqualTo(NOT_NOW);
                    assertThat(refusal.getMessage()).contains(reason, remedy);
                });
        assertThat(kindOfTable()).isEqualTo("r");
        assertThat(admin.queryForList("select * from idempotency.processed_message_partition"))
                .isEmpty();
        assertThat(admin.queryForList("""
                        select 1 from pg_attribute
                        where attrelid = 'idempotency.processed_message'::regclass and attname = 'stored_at'""")).isEmpty();
    }

    private String kindOfTable() {
        return admin.queryForObject(
                "select relkind from pg_class where oid = 'idempotency.processed_message'::regclass", String.class);
    }

    private String today() {
        return admin.queryForObject("select to_char(now() at time zone 'UTC', 'YYYYMMDD')", String.class);
    }

    private List<String> rightsToColumns() {
        return admin.queryForList("""
                select format('%s %s %s %s', attname, grantee, privilege_type, is_grantable)
                from pg_attribute, aclexplode(attacl)
                where attrelid = 'idempotency.processed_message'::regclass
                order by 1""", String.class);
    }

    private List<String> rights() {
        return admin.queryForList("""
                select format('%s %s %s', of.name, acl.privilege_type || ' to ' || acl.grantee::regrole, acl.is_grantable)
                from (
                    select '' as name, relacl as rights, relowner
                    from pg_class
                    where oid = 'idempotency.processed_message'::regclass
                    union all
                    select attname, attacl, null
                    from pg_attribute
                    where attrelid = 'idempotency.processed_message'::regclass and not attisdropped) as of,
                    aclexplode(of.rights) as acl
                where acl.grantee is distinct from of.relowner
                order by 1""", String.class);
    }

    private DataSource reader() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword("secret");
        return dataSource;
    }
}
