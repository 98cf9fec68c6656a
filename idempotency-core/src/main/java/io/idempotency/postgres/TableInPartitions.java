package io.idempotency.postgres;

import java.util.List;
import java.util.function.Predicate;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.MaintenanceStep;
import io.idempotency.retention.PartitionedTable;

/** A table that can be in partitions, and what has to be done for those. */
final class TableInPartitions implements PartitionedTable {

    static final String PROCESSED_MESSAGE = "processed_message";

    static final String OUTBOX_EVENT = "outbox_event";

    /** The partition of the outbox that is in partitions itself. */
    static final String OUTBOX_EVENT_SENT = "outbox_event_sent";

    private final String name;

    private final MaintenanceConnection connection;

    private final Predicate<JdbcClient> isPartitioned;

    private final List<MaintenanceStep> steps;

    private TableInPartitions(
            String name,
            MaintenanceConnection connection,
            Predicate<JdbcClient> isPartitioned,
            List<MaintenanceStep> steps) {
        this.name = name;
        this.connection = connection;
        this.isPartitioned = isPartitioned;
        this.steps = steps;
    }

    /** By the time at which messages were stored. One partition is open; if nobody looks after them, it stays open. */
    static TableInPartitions ofHandledMessages(
            Schema schema, MaintenanceConnection connection, LeafLength length, boolean archive) {
        return new TableInPartitions(
                PROCESSED_MESSAGE,
                connection,
                asTheCatalogSays(schema, PROCESSED_MESSAGE),
                List.of(
                        new MessageLeafAddition(schema, connection, length),
                        new MessageLeafSealing(schema, connection),
                        new MessageLeafExpiry(schema, connection),
                        new LeafRemoval(schema, connection, PROCESSED_MESSAGE, archive)));
    }

    /**
     * By the time at which messages expire that were sent. What waits and what is dead is in one partition, which stays.
     */
    static TableInPartitions ofSentMessages(
            Schema schema, MaintenanceConnection connection, LeafLength length, boolean archive) {
        return new TableInPartitions(
                OUTBOX_EVENT,
                connection,
                asTheCatalogSays(schema, OUTBOX_EVENT),
                List.of(
                        new LeafAdditionByExpiry(schema, connection, OUTBOX_EVENT_SENT, true, length),
                        new LeafGapsByExpiry(schema, connection, OUTBOX_EVENT_SENT, true),
                        new LeafDivisionByExpiry(schema, connection, OUTBOX_EVENT_SENT, true, length),
                        new KeysOfSentMessages(schema, connection),
                        new LeafRemoval(schema, connection, OUTBOX_EVENT_SENT, archive),
                        new LeafBeforeAllByExpiry(schema, connection, OUTBOX_EVENT_SENT, true)));
    }

    private static Predicate<JdbcClient> asTheCatalogSays(Schema schema, String table) {
        TableLayouts layouts = new TableLayouts(schema);
        return jdbcClient -> layouts.findPartitioned(jdbcClient).contains(table);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isPartitioned() {
        return connection.ask(isPartitioned::test);
    }

    @Override
    public List<MaintenanceStep> steps() {
        return steps;
    }
}
