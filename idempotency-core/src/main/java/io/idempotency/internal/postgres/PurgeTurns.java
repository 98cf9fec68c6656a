package io.idempotency.internal.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.PurgeTurn;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * Lets one run of all instances purge at a time. The lock of a batch ends with its transaction, so the row of the table
 * {@code purge_turn} keeps the turn through the pauses, for which no connection is held. What is in partitions is forgotten
 * with those.
 */
final class PurgeTurns implements PurgeStore {

    /**
     * Whatever pool and role have by default: who waited for another run must see what that did. A batch may have to read
     * over much that was deleted before, and a holder whose host is gone must not keep the others out for hours. Without
     * statistics a bitmap of all expired rows would be made for each batch.
     */
    private static final String SETTINGS = """
            set transaction isolation level read committed;
            set local statement_timeout = '5min';
            set local idle_in_transaction_session_timeout = '30s';
            set local enable_bitmapscan = off""";

    /** For longer than a day nobody can have it, but the clock may have been wrong. */
    private static final String HELD_BY_ANOTHER = """
            exists (
                select 1
                from {schema}.purge_turn
                where run_id <> ?
                    and held_until > clock_timestamp()
                    and held_until < clock_timestamp() + interval '1 day')""";

    /** Looks first: whoever only looks must not be in the way of the run whose turn it is. */
    private static final String TRY_LOCK = "select case when " + HELD_BY_ANOTHER + """
             then false
            else pg_try_advisory_xact_lock('{schema}.idempotency_request'::regclass::oid::integer, 0) end""";

    /** With a new statement, because that of the lock may have begun before another run took the turn. */
    private static final String STILL_FREE = "select not " + HELD_BY_ANOTHER;

    private static final String KEEP = """
            insert into {schema}.purge_turn as turn (run_id, held_by, started_at, held_until)
            select ?, ?, t.now, t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (one_row) do update
            set run_id = excluded.run_id, held_by = excluded.held_by, held_until = excluded.held_until,
                started_at = case when turn.run_id = excluded.run_id then turn.started_at else excluded.started_at end""";

    private static final String END = "update {schema}.purge_turn set held_until = '-infinity' where run_id = ?";

    private final String heldBy;

    private final List<? extends Expiry> tables;

    private final String tryLock;

    private final String stillFree;

    private final String keep;

    private final String end;

    private final MessagePartitions partitions;

    private final RequiresNewTransaction transaction;

    PurgeTurns(Schema schema, DataSource dataSource, String heldBy, List<? extends Expiry> tables) {
        this.heldBy = heldBy;
        this.tables = tables;
        this.tryLock = schema.resolve(TRY_LOCK);
        this.stillFree = schema.resolve(STILL_FREE);
        this.keep = schema.resolve(KEEP);
        this.end = schema.resolve(END);
        this.partitions = new MessagePartitions(schema);
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public PurgeTurn begin(Duration hold) {
        boolean inPartitions = transaction.call(Clients.withClient(partitions::exist));
        return new Turn(
                hold,
                tables.stream()
                        .filter(table ->
                                !inPartitions || !table.name().equals(StorageTable.PROCESSED_MESSAGE.tableName()))
                        .toList());
    }

    final class Turn implements PurgeTurn {

        private final UUID run = UUID.randomUUID();

        private final Duration hold;

        private final List<ExpiringTable> ofThisRun;

        Turn(Duration hold, List<? extends Expiry> rows) {
            this.hold = hold;
            this.ofThisRun = rows.stream()
                    .<ExpiringTable>map(table -> new TableOfRun(this, table))
                    .toList();
        }

        @Override
        public List<ExpiringTable> tables() {
            return ofThisRun;
        }

        @Override
        public void end() {
            transaction.call(Clients.withClient(
                    jdbcClient -> jdbcClient.sql(end).param(run).update()));
        }

        boolean take(JdbcClient jdbcClient) {
            jdbcClient.sql(SETTINGS).update();
            return isTrue(jdbcClient, tryLock) && isTrue(jdbcClient, stillFree);
        }

        private boolean isTrue(JdbcClient jdbcClient, String condition) {
            return jdbcClient.sql(condition).param(run).query(Boolean.class).single();
        }

        /** As of the end of the batch, however long that took. */
        void keep(JdbcClient jdbcClient) {
            jdbcClient.sql(keep).params(run, heldBy, hold.toMillis()).update();
        }
    }

    /** Begins each batch where the last one ended: the index still holds what was deleted before. */
    final class TableOfRun implements ExpiringTable {

        private final Turn turn;

        private final Expiry table;

        private OffsetDateTime reached = OffsetDateTime.MIN;

        TableOfRun(Turn turn, Expiry table) {
            this.turn = turn;
            this.table = table;
        }

        @Override
        public String name() {
            return table.name();
        }

        @Override
        public OptionalInt deleteExpired(int limit) {
            return transaction.call(Clients.withClient(jdbcClient -> {
                if (!turn.take(jdbcClient)) {
                    return OptionalInt.empty();
                }
                ExpiredBatch batch = table.deleteExpired(jdbcClient, reached, limit);
                turn.keep(jdbcClient);
                if (batch.last() != null) {
                    reached = batch.last();
                }
                return OptionalInt.of(batch.rows());
            }));
        }
    }
}
