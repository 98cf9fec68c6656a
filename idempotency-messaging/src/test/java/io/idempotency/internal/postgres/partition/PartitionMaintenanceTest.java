package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Deliveries.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Partitions exist before they are needed, whatever is in the way of their maintenance. */
@PostgresTest
@Tag("full")
class PartitionMaintenanceTest {

    private static final PartitionPeriod SECOND = PartitionPeriod.of(Duration.ofSeconds(1));

    private static final String EXPIRE =
            "update idempotency.processed_message set expires_at = now() - interval '1 second'";

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private Deliveries deliveries;

    PartitionMaintenanceTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void open() throws SQLException {
        admin.execute("drop schema if exists idempotency cascade");
        deliveries = new Deliveries(database.dataSource());
    }

    @AfterEach
    void close() throws SQLException {
        deliveries.close();
    }

    @Test
    void sevenPartitionsAreAhead() {
        PartitionedMessages messages = PartitionedMessages.in(database, PartitionPeriod.DAY);

        assertThat(state().ahead()).isEqualTo(7);
        admin.execute("""
                do 'begin
                    for day in 5..7 loop
                        execute (select format(''drop table idempotency.%I; delete from idempotency.processed_message_partition where name = %L'', name, name)
                                 from idempotency.processed_message_partition order by starts_at desc limit 1);
                    end loop;
                end'""");
        assertThat(state().ahead()).isEqualTo(4);
        messages.maintain();
        assertThat(state().ahead()).isEqualTo(7);
        assertThat(admin.queryForList("""
                        select ends_at = lead(starts_at, 1, ends_at) over (order by starts_at)
                        from idempotency.processed_message_partition
                        where starts_at > now() - interval '1 day'""", Boolean.class)).containsOnly(true);
    }

    @Test
    void aMissingPartitionFailsNoMessage() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        admin.execute("""
                do 'declare ahead text;
                begin
                    for ahead in
                        select name from idempotency.processed_message_partition
                        where starts_at > (select open_from from idempotency.processed_message_head)
                    loop
                        execute format(''drop table idempotency.%I'', ahead);
                        delete from idempotency.processed_message_partition where name = ahead;
                    end loop;
                end'""");
        messages.awaitBound();

        assertThat(deliveries.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.NEW);
        assertThat(deliveries.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);
        assertThat(state()).matches(state -> !state.overdue().isZero() && state.ahead() == 0);

        awaitSevenAhead(messages);
        assertThat(deliveries.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);
    }

    @Test
    void anArchivedPartitionIsKeptUnderAnotherName() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        deliveries.claimAndCommit(message("old"));
        messages.passBound();
        admin.execute(EXPIRE);
        admin.execute(
                "update idempotency.processed_message_partition set expires_at = null where closed_at is not null");

        PartitionMaintenance archiving = new PostgresMessageStorage(database.dataSource(), MigratedTables.SCHEMA)
                .partitionMaintenance(SECOND, null, true);
        Awaitility.await()
                .until(() -> PartitionedMessages.run(archiving)
                        && admin.queryForList("select 1 from idempotency.processed_message")
                                .isEmpty());

        String archived = admin.queryForObject("""
                select string_agg(format('select message_id from idempotency.%I', relname), ' union all ')
                from pg_class where relkind = 'r' and relname like 'processed\\_message\\_archive\\_%'""", String.class);
        assertThat(admin.queryForList(archived, String.class)).containsExactly("old");
    }

    @Test
    @Tag("race")
    void aDetachThatIsKilledIsFinishedByTheNextRun() throws Exception {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        expireOnePartition(messages);
        deliveries.query("select count(*) from idempotency.processed_message");
        ConcurrentCalls<Boolean> run = ConcurrentCalls.start(1, messages::maintain);
        // It waits for no longer than two seconds.
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !admin.queryForList("""
                        select pg_terminate_backend(pid)
                        from pg_stat_activity
                        where datname = current_database() and query like 'alter table%concurrently'
                            and wait_event_type = 'Lock' and exists (select from pg_inherits where inhdetachpending)""").isEmpty());
        assertThatThrownBy(() -> run.await().requireAllSucceeded());
        assertThat(isDetachPending()).isTrue();
        assertThat(state().detachPending()).isTrue();
        try (Deliveries others = new Deliveries(database.dataSource())) {
            assertThat(others.claimAndCommit(message("meanwhile"))).isEqualTo(InboxResult.Kind.NEW);
        }

        deliveries.commit();
        Awaitility.await().until(() -> messages.maintain() && !isDetachPending());
        assertThat(messages.partitions()).doesNotContain("idempotency.processed_message_old");
        assertThat(state().partitions()).isEqualTo(messages.partitions().size());
    }

    @Test
    void aPartitionThatWasDetachedAndNotDroppedIsDroppedByTheNextRun() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        expireOnePartition(messages);
        String partition = admin.queryForObject("""
                select name from idempotency.processed_message_partition
                where closed_at is not null order by starts_at desc limit 1""", String.class);
        admin.execute("alter table idempotency.processed_message detach partition idempotency." + partition);

        Awaitility.await()
                .until(() -> messages.maintain()
                        && admin.queryForObject(
                                "select to_regclass('idempotency." + partition + "') is null", Boolean.class));

        assertThat(state().partitions()).isEqualTo(messages.partitions().size());
    }

    @Test
    @Tag("race")
    void manyInstancesAtOnceDoEverythingOnce() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        expireOnePartition(messages);
        messages.awaitBound();

        ConcurrentCalls.run(4, instance -> messages.maintain()).requireAllSucceeded();
        awaitSevenAhead(messages);

        assertThat(state().partitions()).isEqualTo(messages.partitions().size());
        assertThat(state().detachPending()).isFalse();
    }

    @Test
    void aRoleWithoutTheRightSaysSoAndOneThatIsAMemberOfTheOwnersCanDoIt() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        giveTablesToTheirOwner();
        messages.awaitBound();

        assertThatThrownBy(() -> PartitionedMessages.run(as("partition_user", null)))
                .isInstanceOf(DataAccessException.class)
                .hasStackTraceContaining("permission denied for schema idempotency");
        try (Deliveries user = new Deliveries(role("partition_user"))) {
            assertThat(user.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.NEW);
        }

        OffsetDateTime before = messages.openFrom();
        PartitionMaintenance member = as("partition_member", "partition_owner");
        Awaitility.await()
                .until(() ->
                        PartitionedMessages.run(member) && messages.openFrom().isAfter(before));
        try (Deliveries user = new Deliveries(role("partition_user"))) {
            assertThat(user.claimAndCommit(message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);
        }
    }

    /** It is not told how long transactions of others last, and must not have everybody wait at each look all the same. */
    @Test
    @Tag("race")
    void aRoleThatMayNotLookAtOthersWaitsForNobodyTwice() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        giveTablesToTheirOwner();
        PartitionMaintenance member = as("partition_member", "partition_owner");
        deliveries.claim(message("m-1"));
        messages.awaitBound();
        OffsetDateTime before = messages.openFrom();
        assertThat(PartitionedMessages.run(member)).isFalse();

        AtomicBoolean over = new AtomicBoolean();
        ConcurrentCalls<Void> looks = ConcurrentCalls.start(1, () -> {
            while (!over.get()) {
                assertThat(PartitionedMessages.run(member)).isFalse();
            }
        });
        try (Deliveries others = new Deliveries(database.dataSource())) {
            for (int i = 2; i < 50; i++) {
                assertThat(others.claimAndCommit(message("m-" + i))).isEqualTo(InboxResult.Kind.NEW);
                assertThat(database.backends().locks())
                        .noneMatch(lock -> lock.mode().equals("ShareRowExclusiveLock") && !lock.granted());
            }
        } finally {
            over.set(true);
        }
        looks.await().requireAllSucceeded();

        deliveries.commit();
        Awaitility.await()
                .until(() ->
                        PartitionedMessages.run(member) && messages.openFrom().isAfter(before));
    }

    private void giveTablesToTheirOwner() {
        admin.execute("""
                do 'begin
                    if not exists (select from pg_roles where rolname = ''partition_owner'') then
                        create role partition_owner;
                        create role partition_user login password ''secret'';
                        create role partition_member login password ''secret'' in role partition_owner noinherit;
                    end if;
                end';
                grant usage, create on schema idempotency to partition_owner;
                grant usage on schema idempotency to partition_user, partition_member;
                grant select, insert, update, delete on all tables in schema idempotency to partition_user, partition_member;
                do 'declare t regclass;
                begin
                    for t in select oid from pg_class
                        where relnamespace = ''idempotency''::regnamespace and relkind in (''r'', ''p'', ''v'')
                    loop
                        execute format(''alter table %s owner to partition_owner'', t);
                    end loop;
                end'""");
    }

    @Test
    void whatASuperuserPutsInPartitionsIsClosedByTheOwner() {
        MigratedTables.in(database);
        giveTablesToTheirOwner();
        admin.execute("select idempotency.partition_processed_message("
                + "date_trunc('second', now()) - interval '1 second', date_trunc('second', now()))");

        assertThat(admin.queryForList("""
                        select distinct relowner::regrole::text
                        from pg_class
                        where relname like 'processed\\_message%' and relkind in ('r', 'p')""", String.class)).containsExactly("partition_owner");
        PartitionMaintenance owner = new PostgresMessageStorage(database.adminDataSource(), MigratedTables.SCHEMA)
                .partitionMaintenance(SECOND, "partition_owner", false);
        PartitionedMessages messages = PartitionedMessages.of(database, SECOND);
        OffsetDateTime before = messages.openFrom();
        Awaitility.await()
                .until(() ->
                        PartitionedMessages.run(owner) && messages.openFrom().isAfter(before));
    }

    /** IST is Israel's time for whoever reads a time of India as it is written in such a session. */
    @Test
    void boundsAreWhereTheyShallBeHoweverTheSessionWritesTimes() {
        MigratedTables.in(database);
        admin.execute("""
                do 'begin
                    set local datestyle = ''SQL, DMY'';
                    set local time zone ''Asia/Kolkata'';
                    perform idempotency.partition_processed_message(
                        date_trunc(''day'', now(), ''UTC''), date_trunc(''day'', now(), ''UTC'') + interval ''24 hours'');
                end'""");

        assertThat(admin.queryForList("""
                        select substring(pg_get_expr(relpartbound, oid) from 'TO \\(''(.*)''\\)')::timestamptz = ends_at
                        from idempotency.processed_message_partition
                        join pg_class on relname = name""", Boolean.class)).containsExactly(true, true);
    }

    /** One of a second may be over before anybody looks at it. */
    @Test
    void aClockThatWasSetBackIsTold() {
        PartitionedMessages.in(database, PartitionPeriod.DAY);
        assertThat(state().problems()).isEmpty();

        admin.execute("update idempotency.processed_message_head set open_from = now() + interval '1 hour'");

        assertThat(state().problems())
                .singleElement()
                .asString()
                .startsWith("the open partition begins in the future, because the clock was set back");
    }

    /** As if reading it took longer than a statement may take. */
    @Test
    void aPartitionOfWhichItIsNotKnownWhenItExpiresIsTold() throws SQLException {
        PartitionedMessages messages = PartitionedMessages.in(database, SECOND);
        deliveries.claimAndCommit(message("old"));
        messages.passBound();
        assertThat(state().problems()).isEmpty();

        admin.execute("update idempotency.processed_message_partition"
                + " set closed_at = closed_at - interval '2 hours', expires_at = null where closed_at is not null");

        assertThat(state().problems())
                .singleElement()
                .asString()
                .startsWith("processed_message_2")
                .contains("it is still not known when its last message expires");
    }

    private void awaitSevenAhead(PartitionedMessages messages) {
        Awaitility.await().until(() -> messages.maintain() && state().ahead() == 7);
    }

    private PartitionMaintenance as(String login, String role) {
        return new PostgresMessageStorage(role(login), MigratedTables.SCHEMA).partitionMaintenance(SECOND, role, false);
    }

    private PGSimpleDataSource role(String name) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(name);
        dataSource.setPassword("secret");
        return dataSource;
    }

    private void expireOnePartition(PartitionedMessages messages) throws SQLException {
        deliveries.claimAndCommit(message("old"));
        messages.passBound();
        admin.execute(EXPIRE);
        admin.execute(
                "update idempotency.processed_message_partition set expires_at = null where closed_at is not null");
    }

    private boolean isDetachPending() {
        return !admin.queryForList("select 1 from pg_inherits where inhdetachpending")
                .isEmpty();
    }

    private PartitionSample state() {
        List<PartitionSample> states = new ArrayList<>();
        new PostgresMessageStorage(database.dataSource(), MigratedTables.SCHEMA)
                .partitionSampler(new MessagingListener() {
                    @Override
                    public void partitionsSampled(PartitionSample event) {
                        states.add(event);
                    }
                })
                .sample();
        assertThat(states).hasSize(1);
        return states.get(0);
    }
}
