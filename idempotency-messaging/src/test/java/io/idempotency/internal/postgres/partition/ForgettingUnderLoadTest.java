package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static io.idempotency.internal.postgres.Deliveries.message;
import static org.assertj.core.api.Assertions.assertThat;

/** Messages come while those of a day are forgotten: as a partition, and row by row to compare with. Prints tables. */
@PostgresTest
@Tag("race")
@Tag("full")
class ForgettingUnderLoadTest {

    private static final int DAYS = 10;

    private static final int ROWS_OF_A_DAY = TestSize.pick(3_000, 2_000_000);

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** Met only behind an exclusive lock that is kept; the maintenance never waits as long for one. */
    private static final Duration FAR_TOO_LONG = Duration.ofSeconds(10);

    /** Without the look for duplicates, of which there are none. */
    private static final String FILL = """
            begin;
            set local session_replication_role = replica;
            insert into idempotency.%1$s (consumer, message_id, processed_at, expires_at, stored_at)
            select 'invoices', 'day-%2$d-' || i, now(), now() + interval '14 days', p.starts_at
            from idempotency.processed_message_partition as p
            cross join generate_series(1, %3$d) as i
            where p.name = '%1$s';
            commit""";

    private final TestDatabase database;
    private final JdbcTemplate admin;

    ForgettingUnderLoadTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void clear() {
        admin.execute("drop schema if exists idempotency cascade");
    }

    @Test
    void aDayIsForgottenAsAPartition() throws Exception {
        MigratedTables.in(database);
        PartitionedMessages messages = PartitionedMessages.of(database, PartitionPeriod.DAY);
        addPartition("partition_processed_message", DAYS + 2);
        for (int day = DAYS + 1; day >= 0; day--) {
            addPartition("add_processed_message_partition", day);
        }
        List<String> days = admin.queryForList("""
                select name from idempotency.processed_message_partition
                where ends_at < now() and starts_at > '-infinity'
                order by starts_at desc limit ?""", String.class, DAYS);
        for (int day = 0; day < DAYS; day++) {
            admin.execute(FILL.formatted(days.get(day), day, ROWS_OF_A_DAY));
        }
        Awaitility.await().timeout(PATIENCE).until(messages::maintain);
        admin.execute("vacuum analyze");
        long size = size();

        Foreground.Figures figures = Foreground.meanwhile(this::receive, () -> {
            admin.update("""
                    update idempotency.processed_message_partition
                    set expires_at = now() - interval '1 second'
                    where name = ?""", days.get(0));
            Awaitility.await()
                    .timeout(PATIENCE)
                    .until(() -> messages.maintain()
                            && !messages.partitions().toString().contains(days.get(0)));
        });

        figures.print("messages as a partition", ROWS_OF_A_DAY, (long) ROWS_OF_A_DAY * DAYS, size, size());
        assertThat(countOfDays()).isEqualTo(ROWS_OF_A_DAY * (DAYS - 1));
        assertThat(figures.longest()).isLessThan(FAR_TOO_LONG);
    }

    @Test
    void aDayIsForgottenRowByRow() throws Exception {
        PostgresStorage storage = MigratedTables.in(database);
        for (int day = 0; day < DAYS; day++) {
            admin.execute("""
                    insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                    select 'invoices', 'day-%1$d-' || i, now(), now() + (%1$d - 0.5) * interval '1 day'
                    from generate_series(1, %2$d) as i""".formatted(day, ROWS_OF_A_DAY));
        }
        admin.execute("vacuum analyze");
        long size = size();
        Purge purge = new Purge(
                storage.purgeStore("test", false),
                new PurgeSettings(1_000, Duration.ofMillis(100), Duration.ofDays(1)),
                new IdempotencyListener() {});

        Foreground.Figures figures = Foreground.meanwhile(
                this::receive,
                () -> assertThat(purge.run())
                        .isEqualTo(new PurgeReport(
                                Map.of("processed_message", (long) ROWS_OF_A_DAY), PurgeReport.End.NOTHING_LEFT)));

        figures.print("messages row by row", ROWS_OF_A_DAY, (long) ROWS_OF_A_DAY * DAYS, size, size());
        assertThat(countOfDays()).isEqualTo(ROWS_OF_A_DAY * (DAYS - 1));
    }

    private void addPartition(String function, int day) {
        admin.execute("""
                select idempotency.%1$s(
                    date_trunc('day', now(), 'UTC') - %2$d * interval '24 hours',
                    date_trunc('day', now(), 'UTC') - %2$d * interval '24 hours' + interval '24 hours')""".formatted(function, day));
    }

    private Foreground.Connected receive() throws SQLException {
        Deliveries deliveries = new Deliveries(database.dataSource());
        return new Foreground.Connected() {

            @Override
            public void call() throws SQLException {
                assertThat(deliveries.claimAndCommit(message(UUID.randomUUID().toString())))
                        .isEqualTo(InboxResult.Kind.NEW);
            }

            @Override
            public void close() throws SQLException {
                deliveries.close();
            }
        };
    }

    private int countOfDays() {
        return admin.queryForObject(
                "select count(*) from idempotency.processed_message where message_id like 'day-%'", Integer.class);
    }

    private long size() {
        return admin.queryForObject("""
                select coalesce(sum(pg_total_relation_size(part.relid)), pg_total_relation_size(root.id))::bigint
                from (select 'idempotency.processed_message'::regclass as id) as root
                left join lateral pg_partition_tree(root.id) as part on part.isleaf
                group by root.id""", Long.class);
    }
}
