package io.idempotency.proof;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.util.StringUtils;

/**
 * The view of one database: which changes were committed, by logical decoding; and its rows before the scenario, which are restored
 * after each run.
 */
final class Oracle implements AutoCloseable {

    private static final String SCHEMA = "idempotency_proof";

    /** A key of advisory locks that nothing else has. */
    private static final long LOCK = 0x1DE4_9074_0F9A_0000L;

    /** A database that is larger is not one for tests. */
    private static final long MOST_MEGABYTES = 256;

    private static final long SETTLE_NANOS = 5_000_000_000L;

    private static final long PAUSE_NANOS = 2_000_000L;

    /** A partitioned table stands for its partitions. */
    private static final String TABLES = """
            select quote_ident(n.nspname) || '.' || quote_ident(c.relname),
                   (select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
                      from pg_attribute a
                     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''),
                   'c' || c.oid,
                   case c.relkind when 'r' then 'only ' else '' end
              from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p' and n.nspname !~ '^pg_'
               and n.nspname not in ('information_schema', 'idempotency_proof')
            """;

    private static final String PARTITIONS = """
            select n.nspname || '.' || c.relname, m.nspname || '.' || r.relname
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
              join pg_class r on r.oid = pg_partition_root(c.oid)
              join pg_namespace m on m.oid = r.relnamespace
             where c.relispartition
            """;

    /** A sequence that fills a column of its own makes ids. */
    private static final String SEQUENCES = """
            select c.oid::regclass::text
              from pg_class c
             where c.relkind = 'S'
               and not exists (select from pg_depend d
                                where d.classid = 'pg_class'::regclass::oid and d.objid = c.oid and d.deptype in ('a', 'i'))
            """;

    /** Not the view, because planning that takes longer than the whole run: logical decoding empties the session's caches. */
    private static final String BUSY = """
            select pid, application_name, query
              from pg_stat_get_activity(null)
             where datid = ? and backend_type = 'client backend' and pid <> pg_backend_pid()
               and state in ('active', 'idle in transaction', 'idle in transaction (aborted)')
            """;

    private static final String OPEN_ON_SERVER = """
            select format('%s (%s, %s): %s', pid, datname, application_name, left(query, 100))
              from pg_stat_activity
             where backend_xid is not null and pid <> pg_backend_pid()
            union all
            select format('the prepared transaction %s (%s)', gid, database) from pg_prepared_xacts
            """;

    /** Finds the objects that were made after the view was opened. */
    private static final String MADE = """
            select 'schema if exists ' || quote_ident(nspname)
              from pg_namespace
             where nspname !~ '^pg_' and oid not in (select oid from idempotency_proof.known_schema)
            union all
            select case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
                                  else 'table' end
                   || ' if exists ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname)
              from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind in ('r', 'p', 'S', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'idempotency_proof'
               and c.oid not in (select oid from idempotency_proof.known)
            """;

    private final SingleConnectionDataSource connection;

    private final JdbcTemplate jdbc;

    private final String url;

    /** Slots belong to the whole server. */
    private final String slot = SCHEMA + "_" + UUID.randomUUID().toString().replace("-", "");

    private final Map<String, Snapshot> snapshots = new HashMap<>();

    private final Map<String, String> roots = new HashMap<>();

    private final List<String> sequences = new ArrayList<>();

    private long databaseId;

    private boolean isLocked;

    private record Snapshot(String table, String columns, String copy, String only) {}

    /**
     * Creates the view.
     *
     * @param connection a connection of its own, which is closed with it
     */
    Oracle(Connection connection) throws SQLException {
        this.connection = new SingleConnectionDataSource(connection, true);
        this.jdbc = new JdbcTemplate(this.connection);
        this.url = connection.getMetaData().getURL();
    }

    /** Returns what tells this database from all others, whatever URL leads to it. */
    String identity() {
        return one("select system_identifier || '/' || current_database() from pg_control_system()");
    }

    /**
     * Opens the view; the changes from now on are seen.
     *
     * @param writers gets the definitions of the database
     * @param origin why it is this database
     */
    void open(Writers writers, DataSourceOrigin origin) {
        requirePossible(origin);
        // What others commit without waiting for the disk is decoded only when a commit after it has waited.
        jdbc.execute("set synchronous_commit = on");
        awaitIdle();
        jdbc.execute("drop schema if exists " + SCHEMA + " cascade");
        jdbc.execute("create schema " + SCHEMA);
        Map<String, Snapshot> tables = new LinkedHashMap<>();
        jdbc.query(TABLES, (RowCallbackHandler) row -> tables.put(
                row.getString(1).replace("\"", ""),
                new Snapshot(
                        row.getString(1),
                        row.getString(2) == null ? "" : row.getString(2),
                        row.getString(3),
                        row.getString(4))));
        for (Map.Entry<String, Snapshot> table : tables.entrySet()) {
            Snapshot snapshot = table.getValue();
            if (!snapshot.columns().isEmpty()) {
                jdbc.execute("create unlogged table " + SCHEMA + "." + snapshot.copy() + " as select "
                        + snapshot.columns() + " from " + snapshot.only() + snapshot.table());
                snapshots.put(table.getKey(), snapshot);
            }
        }
        readPartitions();
        jdbc.query(Writers.QUERY, (RowCallbackHandler) row -> writers.add(
                new Writers.Definition(row.getString(1), row.getString(2), row.getString(3), row.getString(4))));
        sequences.addAll(jdbc.queryForList(SEQUENCES, String.class));
        jdbc.execute("create unlogged table " + SCHEMA + ".known as select oid from pg_class");
        jdbc.execute("create unlogged table " + SCHEMA + ".known_schema as select oid from pg_namespace");
        createSlot();
    }

    /** It waits for all transactions of the server, which may belong to others. */
    private void createSlot() {
        jdbc.execute("set statement_timeout = '10s'");
        try {
            one("select pg_create_logical_replication_slot('" + slot + "', 'test_decoding', true)::text");
        } catch (QueryTimeoutException waited) {
            throw new IllegalStateException(
                    "Nothing can be compared yet, because a transaction remains open on the server, perhaps in another"
                            + " database: end it, or use a server of its own. Open are: "
                            + String.join("; ", jdbc.queryForList(OPEN_ON_SERVER, String.class)),
                    waited);
        } finally {
            jdbc.execute("reset statement_timeout");
        }
    }

    private void requirePossible(DataSourceOrigin origin) {
        List<String> wrong = new ArrayList<>();
        jdbc.query(
                "select current_setting('wal_level'), rolsuper, rolname, pg_database_size(d.oid) / 1048576,"
                        + " pg_try_advisory_lock(" + LOCK + "), d.oid from pg_roles, pg_database d"
                        + " where rolname = current_user and datname = current_database()",
                (RowCallbackHandler) row -> {
                    if (!row.getString(1).equals("logical")) {
                        wrong.add("its wal_level is '" + row.getString(1)
                                + "': start it with wal_level=logical (in Testcontainers"
                                + " withCommand(\"postgres\", \"-c\", \"wal_level=logical\"))");
                    }
                    if (!row.getBoolean(2)) {
                        wrong.add("the role '" + row.getString(3) + "' is no superuser: use one in this test");
                    }
                    if (row.getLong(4) > MOST_MEGABYTES) {
                        wrong.add(
                                "the database has " + row.getLong(4) + " MB, and its rows are copied and restored: use"
                                        + " one of at most " + MOST_MEGABYTES + " MB with the test's data alone");
                    }
                    isLocked = row.getBoolean(5);
                    databaseId = row.getLong(6);
                    if (!isLocked) {
                        wrong.add("another proof is running in it, whose rows this one would see: wait, or use"
                                + " another database");
                    }
                });
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("The database " + url.replaceFirst("\\?.*", "") + origin.describe()
                    + " cannot prove anything: " + String.join("; ", wrong) + ". " + origin.otherDatabase());
        }
    }

    String url() {
        return url;
    }

    String database() {
        return one("select current_database()");
    }

    boolean hasTable(String table) {
        return snapshots.containsKey(table);
    }

    /** Returns the id of the transaction that is open in a backend; {@code null} if it has written nothing. */
    @Nullable Long transaction(int pid) throws SQLException {
        // A JdbcTemplate would bind the connection to the transaction of the application's thread.
        try (PreparedStatement query = connection
                .getConnection()
                .prepareStatement("select backend_xid::text::bigint from pg_stat_get_activity(?)")) {
            query.setInt(1, pid);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getObject(1, Long.class) : null;
            }
        }
    }

    /** Terminates a backend, and returns when it has ended. */
    void terminate(int pid) {
        one("select pg_terminate_backend(" + pid + ")::text");
        awaitNone(
                () -> jdbc.queryForList("select pid::text from pg_stat_get_activity(?)", String.class, pid),
                "A backend that was terminated goes on");
    }

    /** Waits until no transaction is open. A connection that was cut is rolled back only when its backend has noticed. */
    void awaitIdle() {
        awaitNone(
                () -> jdbc.query(
                        BUSY,
                        (row, number) -> "%s (%s): %.100s".formatted(row.getInt(1), row.getString(2), row.getString(3)),
                        databaseId),
                "Nothing can be compared, because a transaction remains open in the database");
    }

    private static void awaitNone(Supplier<List<String>> query, String failure) {
        long end = System.nanoTime() + SETTLE_NANOS;
        while (true) {
            List<String> found = query.get();
            if (found.isEmpty()) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException(failure + ": " + String.join("; ", found));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Returns the changes since the last time. */
    List<Change> takeChanges() {
        jdbc.execute("select pg_logical_emit_message(true, '" + SCHEMA + "', '')");
        List<Change> changes = new ArrayList<>();
        jdbc.query(
                "select xid::text::bigint, data from pg_logical_slot_get_changes('" + slot
                        + "', null, null, 'include-xids', '0', 'skip-empty-xacts', '1')",
                (RowCallbackHandler)
                        row -> Change.parse(row.getLong(1), row.getString(2)).ifPresent(changes::add));
        if (!changes.stream()
                .allMatch(change -> snapshots.containsKey(change.table()) || roots.containsKey(change.table()))) {
            readPartitions();
        }
        changes.replaceAll(change -> change.withTable(roots.getOrDefault(change.table(), change.table())));
        return changes;
    }

    private void readPartitions() {
        jdbc.query(PARTITIONS, (RowCallbackHandler) row -> roots.put(row.getString(1), row.getString(2)));
    }

    /** Returns the numbers that sequences have reached. */
    Map<String, Long> sequences() {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String sequence : sequences) {
            numbers.put(
                    sequence,
                    jdbc.queryForObject(
                            "select coalesce(pg_sequence_last_value(cast(? as regclass)), 0)", Long.class, sequence));
        }
        return numbers;
    }

    /** Advances a sequence, if it has so many numbers left. */
    void advance(String sequence, long numbers) {
        jdbc.queryForList(
                "select setval(seqrelid, coalesce(pg_sequence_last_value(seqrelid), 0) + ?) from pg_sequence"
                        + " where seqrelid = cast(cast(? as regclass) as oid) and seqincrement > 0"
                        + " and coalesce(pg_sequence_last_value(seqrelid), 0) + ? between seqmin and seqmax / 2",
                numbers,
                sequence,
                numbers);
    }

    /** Lets leases end, as time would. */
    void expireLeases(String requests) {
        jdbc.execute("update " + requests + " set locked_until = statement_timestamp() - interval '1 ms'"
                + " where status = 'processing' and locked_until > statement_timestamp()");
    }

    /** Drops what was made, and restores the rows of tables that have changed, without triggers and foreign keys. */
    void restore(List<Change> changes) {
        for (String made : jdbc.queryForList(MADE, String.class)) {
            jdbc.execute("drop " + made + " cascade");
        }
        Set<String> tables = new TreeSet<>();
        for (Change change : changes) {
            // A TRUNCATE names several.
            tables.addAll(StringUtils.commaDelimitedListToSet(change.table().replace(", ", ",")));
        }
        List<Snapshot> changed =
                tables.stream().map(snapshots::get).filter(Objects::nonNull).toList();
        if (changed.isEmpty()) {
            return;
        }
        StringBuilder sql = new StringBuilder("begin; set local session_replication_role = replica;");
        for (Snapshot saved : changed) {
            sql.append("delete from %s%s; insert into %s (%s) overriding system value select %s from %s.%s;"
                    .formatted(
                            saved.only(),
                            saved.table(),
                            saved.table(),
                            saved.columns(),
                            saved.columns(),
                            SCHEMA,
                            saved.copy()));
        }
        jdbc.execute(sql.append("commit").toString());
        one("select pg_replication_slot_advance('" + slot + "', pg_current_wal_flush_lsn())::text");
    }

    @Override
    public void close() {
        try {
            // Without the lock, the copies belong to another proof.
            if (isLocked) {
                jdbc.execute("drop schema if exists " + SCHEMA + " cascade");
                // The server notices only later that a connection was closed, and the next proof does not wait.
                one("select pg_advisory_unlock(" + LOCK + ")::text");
            }
        } finally {
            connection.destroy();
        }
    }

    private String one(String sql) {
        return String.valueOf(jdbc.queryForObject(sql, String.class));
    }
}
