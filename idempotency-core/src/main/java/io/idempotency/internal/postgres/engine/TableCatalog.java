package io.idempotency.internal.postgres.engine;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.DistributedTables;
import io.idempotency.internal.postgres.schema.DistributedTables.DistributedTable;
import io.idempotency.internal.postgres.schema.StorageTable;

/** The check of what the catalogs of PostgreSQL and Citus say about the tables. */
final class TableCatalog {

    private static final String PARTITIONED = "p";

    /** Kinds of relations that take rows, but keep none of the promises of a table. */
    private static final Map<String, String> OTHER_KINDS =
            Map.of("v", "a view", "m", "a materialized view", "f", "a foreign table");

    private static final Requirement NOTHING = new Requirement(List.of(), List.of());

    private static final Map<StorageTable, Requirement> REQUIREMENTS = Map.of(
            StorageTable.IDEMPOTENCY_REQUEST,
                    new Requirement(List.of("request_id", "caller, request_id"), List.of("request_id", "caller")),
            StorageTable.PROCESSED_MESSAGE, new Requirement(List.of("consumer, message_id"), List.of("message_id")),
            StorageTable.MESSAGE_FAILURE, new Requirement(List.of("consumer, message_id"), List.of("message_id")),
            StorageTable.STREAM_POSITION, new Requirement(List.of("consumer, stream_id"), List.of("stream_id")),
            StorageTable.OUTBOX_EVENT, new Requirement(List.of("deduplication_key, topic"), List.of()));

    private final Schema schema;

    TableCatalog(Schema schema) {
        this.schema = schema;
    }

    /**
     * The requirement on one table.
     *
     * @param uniqueKeys the columns of a unique index, in the order of their names, of which one index must exist; the first is
     *     that of the migrations
     * @param distributionColumns the columns by which Citus may distribute the table; none if it may not
     */
    private record Requirement(List<String> uniqueKeys, List<String> distributionColumns) {}

    /** A table or a partition of it. */
    private record Relation(
            StorageTable table,
            String name,
            String kind,
            boolean isSubscriber,
            boolean hasPrimaryKey,
            List<String> uniqueKeys) {

        static Relation map(ResultSet row, int number) throws SQLException {
            Array uniqueKeys = row.getArray("unique_keys");
            return new Relation(
                    tableOf(row),
                    row.getString("relation_name"),
                    row.getString("kind"),
                    row.getBoolean("is_subscriber"),
                    row.getBoolean("has_primary_key"),
                    List.of((String[]) uniqueKeys.getArray()));
        }
    }

    private static StorageTable tableOf(ResultSet row) throws SQLException {
        return StorageTable.valueOf(row.getString("table_name").toUpperCase(Locale.ROOT));
    }

    private static Requirement requirementOn(StorageTable table) {
        return REQUIREMENTS.getOrDefault(table, NOTHING);
    }

    void verify(JdbcClient jdbcClient) {
        for (Relation relation : jdbcClient
                .sql(schema.resolve(EngineSql.DESCRIBE))
                .query(Relation::map)
                .list()) {
            requireTable(relation);
            requireUniqueKey(relation);
            requireNoSubscriber(relation);
        }
        List<DistributedTable> distributed = new DistributedTables(schema).find(jdbcClient);
        distributed.forEach(this::requireSuitableDistribution);
        if (!distributed.isEmpty()) {
            requireTwoPhases(jdbcClient);
        }
    }

    /** Citus commits on a single worker before it commits on the coordinator, if it knows of nothing written there. */
    private void requireTwoPhases(JdbcClient jdbcClient) {
        if (!jdbcClient
                .sql(schema.resolve(EngineSql.OUTBOX_COMMITS_IN_TWO_PHASES))
                .query(Boolean.class)
                .single()) {
            throw new IdempotencyStartupException(
                    "Citus distributes tables in schema '" + schema.name()
                            + "', but a transaction that also writes outbox_event, which is local to the coordinator, may commit"
                            + " in one phase. After a crash in between, a key may be stored without its messages.",
                    "Create the trigger commit_in_two_phases on outbox_event, and on each other local table that a call writes,"
                            + " as the page on scaling says in its section on Citus.");
        }
    }

    private void requireTable(Relation relation) {
        String otherKind = OTHER_KINDS.get(relation.kind());
        if (otherKind != null && relation.table() != StorageTable.PROCESSED_MESSAGE_EARLIER) {
            throw new IdempotencyStartupException(
                    relation.name() + " in schema '" + schema.name() + "' is " + otherKind
                            + " and not a table. It does not make a second claim of a key wait for the first, so that a repeat"
                            + " may take effect again.",
                    "Give " + relation.name() + " another name, and create the table with the migrations in its place."
                            + " Or set idempotency.schema to another schema, where the migrations create all tables.");
        }
    }

    /** The partitioned table of messages has no index of its own: only one partition is open, whose index suffices. */
    private void requireUniqueKey(Relation relation) {
        List<String> uniqueKeys = requirementOn(relation.table()).uniqueKeys();
        boolean inPartitions =
                relation.table() == StorageTable.PROCESSED_MESSAGE && PARTITIONED.equals(relation.kind());
        // Failures are recorded with ON CONFLICT ON CONSTRAINT, because the columns of the key depend on the layout.
        boolean isNamed = relation.table() != StorageTable.IDEMPOTENCY_REQUEST || relation.hasPrimaryKey();
        boolean hasKey = isNamed && uniqueKeys.stream().anyMatch(relation.uniqueKeys()::contains);
        if (!uniqueKeys.isEmpty() && !inPartitions && !hasKey) {
            String columns = uniqueKeys.get(0);
            throw new IdempotencyStartupException(
                    "The table " + relation.name() + " in schema '" + schema.name() + "' has no valid unique index on ("
                            + columns + "). A repeat may be stored beside the first, and take effect again.",
                    "Remove duplicates, if there are any, and run as the owner of the table: alter table "
                            + schema.resolve("{schema}.") + relation.name() + " add "
                            + (relation.table() == StorageTable.IDEMPOTENCY_REQUEST
                                    ? "constraint idempotency_request_pkey primary key ("
                                    : "unique (")
                            + columns + ").");
        }
    }

    private void requireNoSubscriber(Relation relation) {
        if (relation.isSubscriber()) {
            throw new IdempotencyStartupException(
                    "The table " + relation.name() + " in schema '" + schema.name()
                            + "' is the target of a subscription (logical replication). Its rows are claimed in another"
                            + " database and arrive here later. A call here and its repeat there would both take effect, and the"
                            + " subscription would stop at their conflict.",
                    "Connect the DataSource to the publisher. If this database is to replace it, stop all writers there, wait"
                            + " until everything has arrived, and drop the subscription (drop subscription) before the application"
                            + " starts.");
        }
    }

    private void requireSuitableDistribution(DistributedTable distribution) {
        String name = schema.name() + "." + distribution.table().tableName();
        List<String> columns = requirementOn(distribution.table()).distributionColumns();
        if (!distribution.isHashed() || !columns.contains(distribution.column())) {
            String undistribute = "Run as the owner of the table: select undistribute_table('" + name + "')";
            throw new IdempotencyStartupException(
                    "The table " + distribution.table().tableName() + " in schema '" + schema.name() + "' is "
                            + (distribution.isHashed()
                                    ? "distributed by Citus on its column " + distribution.column()
                                    : "a reference table, or otherwise spread by Citus without the hash of a column")
                            + ". Then no index and no lock covers all rows that have to be compared: a repeat may reach another"
                            + " node than the first, and take effect again.",
                    columns.isEmpty()
                            ? undistribute + ". It must be local to the coordinator."
                            : undistribute + ", then distribute it on " + String.join(" or ", columns)
                                    + ": select create_distributed_table('" + name + "', '"
                                    + columns.get(0) + "'). Or leave it local to the coordinator.");
        }
    }
}
