package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.PartitionMaintenance;
import io.idempotency.retention.PartitionState;
import io.idempotency.retention.StorageStatistics;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Partitions of responses are there before they are needed, and go when all of their responses may be forgotten. */
@PostgresTest
class ResponsePartitionsTest {

    /** As the maintenance may wait for its lock, and some for a machine that has other things to do. */
    private static final Duration BOUND = Duration.ofMillis(1_500);

    /** As it may have callers wait when it has got it, and some for a machine that has other things to do. */
    private static final Duration BOUND_WITH_LOCK = Duration.ofSeconds(10);

    private static final int RUNS = TestSize.pick(4, 40);

    private static final String STORE = """
            insert into idempotency.idempotency_response (request_id, expires_at, response_body)
            values (gen_random_uuid(), clock_timestamp() + ?::interval, '{"a": 1}')""";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final StorageStatistics statistics;

    ResponsePartitionsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.statistics = new PostgresStorage(database.dataSource(), MigratedTables.SCHEMA).statistics();
    }

    @BeforeEach
    void migrate() {
        admin.execute("drop schema if exists idempotency cascade");
        MigratedTables.in(database);
    }

    @Test
    void nothingIsMadeOrToldWhereResponsesAreInTheRowsOfTheirKeys() {
        assertThat(PartitionedMessages.run(maintenance(null, false))).isTrue();

        assertThat(leaves()).containsExactly("idempotency_response_rest");
        assertThat(statistics.partitions()).isEmpty();
        assertThat(statistics.oldestExpired()).doesNotContainKey("idempotency_response");
    }

    @Test
    void sevenPartitionsAreAheadOfTheLongestRetentionInUse() {
        maintain(LeafLength.DAY);
        assertThat(leaves()).hasSize(1 + 7 + 1);
        assertThat(state()).isEqualTo(fine(1 + 7));

        store("20 days");
        store("3 days");
        maintain(LeafLength.DAY);

        assertThat(leaves()).hasSize(1 + 20 + 7 + 1);
        assertThat(state()).isEqualTo(fine(1 + 20 + 7));
        assertThat(count("idempotency_response_rest")).isZero();
        assertThat(count("idempotency_response")).isEqualTo(2);
    }

    /** Each has the same key and the same compression, so that a response is found by its index and no second one is stored. */
    @Test
    void eachPartitionHasTheKeyAndTheCompressionOfTheTable() {
        maintain(LeafLength.DAY);

        assertThat(admin.queryForList("""
                        select distinct k.conparentid <> 0 and a.attcompression = parent.attcompression
                        from pg_inherits as i
                        join pg_constraint as k on k.conrelid = i.inhrelid and k.contype = 'p'
                        join pg_attribute as a on a.attrelid = i.inhrelid and a.attname = 'response_body'
                        join pg_attribute as parent on parent.attrelid = i.inhparent and parent.attname = 'response_body'
                        where i.inhparent = 'idempotency.idempotency_response'::regclass""", Boolean.class)).containsExactly(true);
        assertThat(admin.queryForObject(
                        "select count(*) from pg_index where indrelid in (select inhrelid from pg_inherits"
                                + " where inhparent = 'idempotency.idempotency_response'::regclass)",
                        Integer.class))
                .isEqualTo(leaves().size());
    }

    @Test
    void aPartitionGoesADayAfterItsEndWithoutAnythingElseToBeDone() {
        maintain(LeafLength.DAY);
        store("1 minute");
        String leaf = leafOfFirst();
        assertThat(admin.queryForObject(
                        "select expires_at = ends_at + interval '1 day' from idempotency.storage_partition where leaf = ?",
                        Boolean.class,
                        leaf))
                .isTrue();
        maintain(LeafLength.DAY);
        assertThat(leaves()).contains(leaf);

        expire(leaf);
        assertThat(statistics.oldestExpired().get("idempotency_response")).isPositive();
        maintain(LeafLength.DAY);

        assertThat(leaves()).doesNotContain(leaf);
        assertThat(count("idempotency_response")).isZero();
        assertThat(statistics.oldestExpired()).containsEntry("idempotency_response", Duration.ZERO);
    }

    /** It may have begun when its response was still to be kept. */
    @Test
    @Tag("race")
    void aPartitionStaysWhileATransactionIsOlderThanItsEnd() throws SQLException {
        maintain(LeafLength.DAY);
        String leaf = leaves().get(0);
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select 1");
            admin.update(
                    "update idempotency.storage_partition set sealed_at = clock_timestamp(),"
                            + " expires_at = now() - interval '1 minute' where leaf = ?",
                    leaf);
            maintain(LeafLength.DAY);
            assertThat(leaves()).contains(leaf);
        }

        maintain(LeafLength.DAY);
        assertThat(leaves()).doesNotContain(leaf);
    }

    @Test
    void anArchiveKeepsThePartitionAsATable() {
        maintain(LeafLength.DAY);
        store("1 minute");
        expire(leafOfFirst());

        Awaitility.await().until(() -> PartitionedMessages.run(maintenance(LeafLength.DAY, true)));

        assertThat(count("idempotency_response")).isZero();
        assertThat(count("idempotency_response_archive_first")).isOne();
    }

    /** Clocks are set back, and a call may last for days. */
    @Test
    void whatExpiresBeforeAllPartitionsThatAreLeftIsStoredAllTheSame() {
        maintain(LeafLength.DAY);
        store("1 minute");
        store("24 hours");
        expire(leafOfFirst());
        maintain(LeafLength.DAY);
        assertThat(count("idempotency_response")).isOne();

        store("-100 days");

        assertThat(count("idempotency_response")).isEqualTo(2);
        assertThat(leafOfFirst()).startsWith("idempotency_response_before_");
        String early = leafOfFirst();
        String next = admin.queryForObject(
                "select leaf from idempotency.storage_partition where starts_at ="
                        + " (select ends_at from idempotency.storage_partition where leaf = ?)",
                String.class,
                early);
        expire(early);
        expire(next);
        maintain(LeafLength.DAY);
        assertThat(leaves()).doesNotContain(early, next);
        assertThat(count("idempotency_response")).isZero();
        store("-100 days");
    }

    @Test
    void whoeverGoesBackToRowsIsRidOfThePartitionsWhenTheyAreOver() {
        maintain(LeafLength.DAY);
        store("3 days");
        List<String> before = leaves();
        maintain(null);
        assertThat(leaves()).isEqualTo(before);

        admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute',"
                + " sealed_at = '-infinity'");
        store("60 days");
        maintain(null);
        assertThat(count("idempotency_response")).isOne();
        assertThat(state().problems()).isEmpty();

        admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute',"
                + " sealed_at = '-infinity'");
        maintain(null);
        assertThat(leaves()).containsExactly("idempotency_response_rest");
        assertThat(statistics.partitions()).isEmpty();
        store("-100 days");
    }

    @Test
    void aPartitionThatSomethingDependsOnIsNamedAndTheOthersGo() {
        maintain(LeafLength.DAY);
        List<String> leaves = leaves().subList(0, 3);
        admin.execute("create view of_somebody as select request_id from idempotency." + leaves.get(1));
        try {
            leaves.forEach(this::expire);

            assertThatThrownBy(() -> maintenance(LeafLength.DAY, false).run())
                    .isInstanceOf(DataAccessException.class)
                    .hasMessageContaining(leaves.get(1) + " is detached and could not be dropped");
            assertThat(leaves()).doesNotContainAnyElementsOf(leaves);
            assertThat(admin.queryForObject("select to_regclass('idempotency." + leaves.get(2) + "')", String.class))
                    .isNull();
            assertThat(state().problems()).isEmpty();
            admin.update(
                    "update idempotency.storage_partition set expires_at = now() - interval '2 hours' where leaf = ?",
                    leaves.get(1));
            assertThat(state().problems())
                    .singleElement()
                    .asString()
                    .startsWith(leaves.get(1) + " should have gone an hour ago");
        } finally {
            admin.execute("drop view of_somebody");
        }
        maintain(LeafLength.DAY);
        assertThat(state().problems()).isEmpty();
    }

    @Test
    void whatNobodyMakesPartitionsForIsTold() {
        store("1 day");

        Awaitility.await().until(() -> !statistics.partitions().isEmpty());
        assertThat(state().ahead()).isZero();
        assertThat(state().problems()).singleElement().asString().startsWith("idempotency_response_rest holds rows");
        maintain(LeafLength.DAY);
        assertThat(state().problems()).isEmpty();
        assertThat(state().ahead()).isEqualTo(7);
    }

    /** Whoever keeps responses for a day is not to keep them until the year of somebody else is over. */
    @Test
    void whatIsLeftOfAGapIsDividedBeforeAnythingExpiresInIt() {
        maintain(LeafLength.DAY);
        store("365 days");

        maintain(LeafLength.DAY);

        assertThat(leaves()).hasSize(1 + 365 + 7 + 1);
        assertThat(lengths()).containsExactly("1 day");
        store("60 days");
        assertThat(admin.queryForObject("""
                        select count(*)
                        from idempotency.idempotency_response as r
                        join pg_class as c on c.oid = r.tableoid
                        join idempotency.storage_partition as p on p.leaf = c.relname
                        where r.expires_at >= p.starts_at and r.expires_at < p.ends_at
                            and p.leaf = 'idempotency_response_' || to_char(r.expires_at at time zone 'UTC', 'YYYYMMDD')
                            and p.expires_at = p.ends_at + interval '1 day' and p.sealed_at = p.ends_at""", Integer.class)).isEqualTo(2);
        assertThat(state()).isEqualTo(fine(1 + 365 + 7));
    }

    @Test
    void whatExpiresBeforeThatIsTold() {
        maintain(LeafLength.DAY);
        store("365 days");
        assertThat(addition().run()).isTrue();
        store("200 days");

        maintain(LeafLength.DAY);

        assertThat(lengths()).hasSize(2);
        Awaitility.await().until(() -> !state().problems().isEmpty());
        assertThat(state().problems())
                .singleElement()
                .asString()
                .contains("is for much longer than others and holds rows, which are kept until its end");
    }

    @Test
    void nothingIsDividedThatSomethingCameToMeanwhile() {
        maintain(LeafLength.DAY);
        store("60 hours");
        String held = leafOfFirst();
        String last = leaves().get(7);
        for (String border : List.of(held + " 24 hours", last + " 18 hours")) {
            String leaf = border.substring(0, border.indexOf(' '));
            assertThatThrownBy(() -> admin.execute("""
                            select idempotency.divide_partition_by_expiry('idempotency_response', leaf,
                                array[starts_at, starts_at + interval '6 hours', starts_at + interval '%s'], false)
                            from idempotency.storage_partition
                            where leaf = '%s'""".formatted(border.substring(leaf.length()), leaf)))
                    .hasMessageContaining(leaf + " has changed meanwhile");
        }
        assertThat(count("idempotency_response")).isOne();
        assertThat(lengths()).containsExactly("1 day");
    }

    /** Dropped by hand, detached with what it holds, or not restored. */
    @Test
    void whereAPartitionIsMissingThereIsAnEmptyOneSoon() {
        maintain(LeafLength.DAY);
        store("72 hours");
        String dropped = leaves().get(2);
        String detached = leaves().get(3);
        admin.execute("drop table idempotency." + dropped);
        admin.execute("alter table idempotency.idempotency_response detach partition idempotency." + detached);
        for (String missing : List.of("48 hours", "72 hours")) {
            assertThatThrownBy(() -> store(missing))
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            cause -> assertThat(cause.getSQLState()).isEqualTo("23514"));
        }

        maintain(LeafLength.DAY);

        store("48 hours");
        store("72 hours");
        assertThat(lengths()).containsExactly("1 day");
        assertThat(leaves()).hasSize(1 + 7 + 3 + 1);
        List<String> leaves = leaves();
        maintain(LeafLength.DAY);
        assertThat(leaves()).isEqualTo(leaves);
    }

    /** If it went before, it would be missing again, and made again and again. */
    @Test
    void whatWasMissingInThePastGoesTogetherWithThePartitionBehindIt() {
        maintain(LeafLength.DAY);
        admin.execute("drop table idempotency.idempotency_response_first;"
                + " delete from idempotency.storage_partition where leaf = 'idempotency_response_first'");

        admin.execute("select idempotency.add_partition_between('idempotency_response', '2020-01-01 00:00:00Z',"
                + " '2020-01-02 00:00:00Z', false)");

        assertThat(leaves()).startsWith("idempotency_response_gap_20200101");
        assertThat(admin.queryForObject("""
                        select array_agg(sealed_at order by starts_at) = array_agg(sealed_at order by starts_at desc)
                            and count(distinct expires_at) = 1
                        from (select * from idempotency.storage_partition order by starts_at limit 2) as first""", Boolean.class)).isTrue();
        maintain(LeafLength.DAY);
        assertThat(leaves()).contains("idempotency_response_gap_20200102");
    }

    /** It may come between the look and the lock, and then the borders are others. */
    @Test
    void whatCameMeanwhileIsLookedAtOnceMore() {
        store("20 days");
        for (String heldFrom : List.of("'-infinity'", "null")) {
            assertThatThrownBy(() -> admin.execute("select idempotency.add_partitions_by_expiry('idempotency_response',"
                            + " array['-infinity', now() + interval '1 day', now() + interval '2 days'], " + heldFrom
                            + ", false)"))
                    .hasMessageContaining("idempotency_response_rest has changed meanwhile")
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            cause -> assertThat(cause.getSQLState()).isEqualTo("55P03"));
        }
        assertThat(leaves()).containsExactly("idempotency_response_rest");
        assertThat(count("idempotency_response")).isOne();
    }

    /** It would be tried again and again, and everybody wait for it each time. */
    @Test
    @Tag("race")
    void aLastPartitionThatTakesLongToReadIsNotReadForLong() {
        store("20 days");
        admin.execute("""
                create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(30); end';
                create event trigger slow on ddl_command_start when tag in ('ALTER TABLE') execute function slow()""");
        try {
            LeafAdditionByExpiry addition = addition();
            long start = System.nanoTime();
            assertThat(addition.run()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(25));

            start = System.nanoTime();
            assertThat(addition.run()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        } finally {
            admin.execute("drop event trigger slow; drop function slow()");
        }
        assertThat(leaves()).containsExactly("idempotency_response_rest");
        maintain(LeafLength.DAY);
        assertThat(state().ahead()).isEqualTo(7);
    }

    /** The lock is not to be had, and those who wait behind it do so for no longer than it is tried. */
    @Test
    @Tag("race")
    void callersWaitNoLongerThanTheMaintenanceTriesToGetItsLock() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger stored = new AtomicInteger();
        AtomicLong longest = new AtomicLong();
        ConcurrentCalls<Void> callers = ConcurrentCalls.start(4, caller -> {
            try (Connection connection = database.connection();
                    PreparedStatement store = connection.prepareStatement(STORE)) {
                while (!over.get()) {
                    store.setString(1, "1 day");
                    long start = System.nanoTime();
                    store.execute();
                    longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                    stored.incrementAndGet();
                }
            }
            return null;
        });
        try {
            Awaitility.await().until(() -> stored.get() > 100);
            try (Connection open = database.connection();
                    PreparedStatement store = open.prepareStatement(STORE)) {
                open.setAutoCommit(false);
                store.setString(1, "1 day");
                store.execute();
                // With each of them callers would wait for as long, however fast the machine.
                long behindLock = Long.MAX_VALUE;
                for (int run = 0; run < RUNS; run++) {
                    longest.set(0);
                    assertThat(PartitionedMessages.run(maintenance(LeafLength.DAY, false)))
                            .isFalse();
                    int storedBefore = stored.get();
                    Awaitility.await().until(() -> stored.get() > storedBefore + 10);
                    behindLock = Math.min(behindLock, millis(longest.get()));
                }
                assertThat(leaves()).containsExactly("idempotency_response_rest");
                longest.set(0);
                open.commit();
                maintain(LeafLength.DAY);
                System.out.printf(
                        "Callers waited for at most %d ms behind a lock that was not to be had, and %d ms when it was%n",
                        behindLock, millis(longest.get()));
                assertThat(behindLock).isLessThan(BOUND.toMillis());
            }
        } finally {
            over.set(true);
        }
        callers.await().requireAllSucceeded();

        assertThat(millis(longest.get())).isLessThan(BOUND_WITH_LOCK.toMillis());
        assertThat(count("idempotency_response")).isEqualTo(stored.get() + 1);
        maintain(LeafLength.DAY);
        assertThat(state().ahead()).isEqualTo(7);
    }

    /** Not even for so long, but for one second in each minute. */
    @Test
    @Tag("race")
    void nobodyWaitsBehindATransactionThatHasBeenOpenForLong() throws Exception {
        try (Connection open = database.connection();
                PreparedStatement store = open.prepareStatement(STORE)) {
            open.setAutoCommit(false);
            store.setString(1, "1 day");
            store.execute();
            Awaitility.await()
                    .until(() -> admin.queryForObject(
                            "select bool_or(clock_timestamp() > xact_start + interval '1.1 seconds')"
                                    + " and extract(second from clock_timestamp()) between 1.5 and 58"
                                    + " from pg_stat_activity where state = 'idle in transaction'"
                                    + " and datname = current_database()",
                            Boolean.class));
            // Each would wait for so long, however fast the machine.
            Awaitility.await("a run that does not wait")
                    .pollDelay(Duration.ZERO)
                    .until(() -> {
                        long start = System.nanoTime();
                        assertThat(PartitionedMessages.run(maintenance(LeafLength.DAY, false)))
                                .isFalse();
                        return millis(System.nanoTime() - start) < 500;
                    });
        }
        maintain(LeafLength.DAY);
        assertThat(state().ahead()).isEqualTo(7);
    }

    @Test
    @Tag("race")
    void manyInstancesAtOnceMakeEverythingOnceWhileResponsesAreStored() {
        AtomicBoolean over = new AtomicBoolean();
        ConcurrentCalls<Void> caller = ConcurrentCalls.start(2, number -> {
            while (!over.get()) {
                admin.update(STORE, "2 seconds");
            }
            return null;
        });
        LeafLength second = LeafLength.of(Duration.ofSeconds(1));
        try {
            Awaitility.await().atMost(90, TimeUnit.SECONDS).until(() -> {
                admin.update("update idempotency.storage_partition set expires_at = ends_at + interval '1 second'"
                        + " where expires_at > ends_at + interval '1 second'");
                ConcurrentCalls.run(3, instance -> PartitionedMessages.run(maintenance(second, false)))
                        .requireAllSucceeded();
                return !leaves().contains("idempotency_response_first")
                        && leaves().stream().anyMatch(leaf -> leaf.startsWith("idempotency_response_before_"));
            });
        } finally {
            over.set(true);
        }
        caller.await().requireAllSucceeded();
        maintain(second);
        assertThat(state().problems()).isEmpty();
    }

    @Test
    void aMemberOfTheOwnersRoleMaintainsThemForItAndWhoeverStoresNeedsNoMore() {
        String owner = "owner_" + database.name();
        String user = "user_" + database.name();
        String member = "member_" + database.name();
        admin.execute("""
                create role %1$s;
                create role %2$s login password 'secret';
                create role %3$s login password 'secret' in role %1$s noinherit;
                grant usage, create on schema idempotency to %1$s;
                grant usage on schema idempotency to %2$s, %3$s;
                grant select on all tables in schema idempotency to %2$s, %3$s;
                grant insert on idempotency.idempotency_response to %2$s;
                alter table idempotency.idempotency_response owner to %1$s;
                alter table idempotency.idempotency_response_rest owner to %1$s;
                grant insert, update, delete on idempotency.storage_partition to %1$s;
                grant select on all tables in schema idempotency to %1$s""".formatted(owner, user, member));
        try {
            assertMaintainedByMember(owner, user, member);
        } finally {
            admin.execute("drop schema idempotency cascade; drop owned by %1$s, %2$s, %3$s; drop role %1$s, %2$s, %3$s"
                    .formatted(owner, user, member));
        }
    }

    private void assertMaintainedByMember(String ownerRole, String userRole, String memberRole) {
        assertThatThrownBy(() -> new PostgresStorage(as(userRole), MigratedTables.SCHEMA)
                        .partitionedTables(Map.of("idempotency_response", LeafLength.DAY), null, false).stream()
                                .map(table -> new PartitionMaintenance(List.of(table)))
                                .map(PartitionedMessages::run)
                                .toList())
                .isInstanceOf(DataAccessException.class)
                .hasStackTraceContaining("permission denied");

        PartitionMaintenance member =
                new PartitionMaintenance(new PostgresStorage(as(memberRole), MigratedTables.SCHEMA)
                        .partitionedTables(Map.of("idempotency_response", LeafLength.DAY), ownerRole, false));
        Awaitility.await().until(() -> PartitionedMessages.run(member));

        new JdbcTemplate(as(userRole)).update(STORE, "3 days");
        Awaitility.await().until(() -> PartitionedMessages.run(member));
        assertThat(state()).isEqualTo(fine(1 + 3 + 7));
        expire("idempotency_response_first");
        Awaitility.await().until(() -> PartitionedMessages.run(member));
        new JdbcTemplate(as(userRole)).update(STORE, "-3 days");
        assertThat(admin.queryForList("""
                        select distinct relowner::regrole::text
                        from pg_class
                        where relname like 'idempotency\\_response%' and relkind in ('r', 'p')""", String.class)).containsExactly(ownerRole);
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword("secret");
        return dataSource;
    }

    private void store(String expiresIn) {
        admin.update(STORE, expiresIn);
    }

    private void expire(String leaf) {
        assertThat(admin.update(
                        "update idempotency.storage_partition set expires_at = now() - interval '1 minute',"
                                + " sealed_at = '-infinity' where leaf = ?",
                        leaf))
                .isOne();
    }

    private LeafAdditionByExpiry addition() {
        Schema schema = new Schema(MigratedTables.SCHEMA);
        return new LeafAdditionByExpiry(
                schema,
                new MaintenanceConnection(schema, database.adminDataSource(), null),
                "idempotency_response",
                false,
                LeafLength.DAY);
    }

    private List<String> lengths() {
        return admin.queryForList(
                "select distinct (ends_at - starts_at)::text from idempotency.storage_partition where starts_at > now()",
                String.class);
    }

    private void maintain(LeafLength length) {
        Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .until(() -> PartitionedMessages.run(maintenance(length, false)));
    }

    private PartitionMaintenance maintenance(LeafLength length, boolean archive) {
        return new PartitionMaintenance(new PostgresStorage(database.adminDataSource(), MigratedTables.SCHEMA)
                .partitionedTables(length == null ? Map.of() : Map.of("idempotency_response", length), null, archive));
    }

    private List<String> leaves() {
        return admin.queryForList("""
                select c.relname
                from pg_inherits as i
                join pg_class as c on c.oid = i.inhrelid
                left join idempotency.storage_partition as p on p.leaf = c.relname
                where i.inhparent = 'idempotency.idempotency_response'::regclass
                order by coalesce(p.starts_at, 'infinity')""", String.class);
    }

    private String leafOfFirst() {
        return admin.queryForObject(
                "select c.relname from idempotency.idempotency_response as r join pg_class as c on c.oid = r.tableoid"
                        + " order by r.expires_at limit 1",
                String.class);
    }

    private int count(String table) {
        return admin.queryForObject("select count(*) from idempotency." + table, Integer.class);
    }

    private PartitionState state() {
        List<PartitionState> states = statistics.partitions();
        assertThat(states).hasSize(1);
        return states.get(0);
    }

    private static PartitionState fine(int partitions) {
        return new PartitionState("idempotency_response", partitions, 7, Duration.ZERO, false, List.of());
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }
}
