package io.idempotency.internal.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.test.TestDatabase;

/** The table of handled messages in partitions, and whoever looks after those. */
public final class PartitionedMessages {

    private final PostgresMessageStorage storage;

    private final DataSource dataSource;

    private final PartitionPeriod period;

    private PartitionedMessages(TestDatabase database, PartitionPeriod period) {
        this.dataSource = database.adminDataSource();
        this.storage = new PostgresMessageStorage(dataSource, MigratedTables.SCHEMA);
        this.period = period;
    }

    /** Of a table that is in partitions, or is to be put in some. */
    public static PartitionedMessages of(TestDatabase database, PartitionPeriod period) {
        return new PartitionedMessages(database, period);
    }

    /** Puts the table in partitions, of which one is closed already, besides the one that was there before. */
    public static PartitionedMessages in(TestDatabase database, PartitionPeriod period) {
        MigratedTables.in(database);
        PartitionedMessages messages = new PartitionedMessages(database, period);
        OffsetDateTime end = period.startOf(
                period.startOf(OffsetDateTime.now(ZoneOffset.UTC)).minusNanos(1));
        database.jdbc()
                .queryForObject(
                        "select idempotency.partition_processed_message(?, ?)",
                        Boolean.class,
                        period.startOf(end.minusNanos(1)),
                        end);
        messages.maintain();
        return messages;
    }

    /** One run, of a process of its own. */
    public boolean maintain() {
        return run(storage.partitionMaintenance(period, null, false));
    }

    public static boolean run(PartitionMaintenance maintenance) {
        try {
            return maintenance.run();
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    /** Where the partition begins that messages are stored in. */
    public OffsetDateTime openFrom() {
        return new JdbcTemplate(dataSource)
                .queryForObject("select open_from from idempotency.processed_message_head", OffsetDateTime.class);
    }

    /** Until messages would be stored in the next partition, if that were open. */
    public void awaitBound() {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        Awaitility.await("the bound")
                .pollInterval(Duration.ofMillis(10))
                .until(() -> jdbc.queryForObject(
                        "select open_until <= clock_timestamp() from idempotency.processed_message_head",
                        Boolean.class));
    }

    /** Until the next partition is open. */
    public void passBound() {
        OffsetDateTime before = openFrom();
        awaitBound();
        Awaitility.await("the next partition").until(() -> {
            maintain();
            return openFrom().isAfter(before);
        });
    }

    public List<String> partitions() {
        return new JdbcTemplate(dataSource).queryForList("""
                select inhrelid::regclass::text
                from pg_inherits
                where inhparent = 'idempotency.processed_message'::regclass
                order by 1""", String.class);
    }
}
