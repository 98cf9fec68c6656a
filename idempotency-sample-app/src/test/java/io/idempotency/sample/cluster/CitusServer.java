package io.idempotency.sample.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.Fault.Kind;
import io.idempotency.test.CitusCluster;

import static org.awaitility.Awaitility.await;

/**
 * A database of a Citus cluster. The workers hold the library's tables that are distributed, the coordinator holds all
 * others, so that a call commits on two nodes.
 */
final class CitusServer implements ClusterServer {

    /** The environment variable with a program that kills node 2 with {@code kill 2}, and starts it with {@code node 2}. */
    static final String PROGRAM_VARIABLE = "IDEMPOTENCY_TEST_CITUS_PROGRAM";

    /**
     * Citus knows nothing of plain tables. It would commit on the worker before the coordinator does, and in one phase: the
     * key of an effect that is lost in between would say that it succeeded.
     */
    private static final String TWO_PHASES = """
            do $$
            declare
                plain regclass;
            begin
                for plain in
                    select oid from pg_class
                    where relkind = 'r' and relnamespace = 'public'::regnamespace
                        and relname not like 'flyway%'
                        and oid not in (select logicalrelid from pg_dist_partition)
                loop
                    execute format(
                        'create trigger commit_in_two_phases after insert or update or delete on %s
                         for each statement execute function idempotency.commit_in_two_phases()', plain);
                end loop;
            end
            $$""";

    private static final String RECOVERY_INTERVAL =
            "select setting::bigint from pg_settings where name = 'citus.recover_2pc_interval'";

    private final CitusCluster cluster = CitusCluster.ofEnvironment();

    private final String database = "cluster_" + ProcessHandle.current().pid();

    private final PGSimpleDataSource coordinator;

    private final List<CitusNode> nodes;

    private final PreparedTransactions prepared;

    CitusServer(Path logs) {
        cluster.createDatabase(database);
        List<PGSimpleDataSource> dataSources = cluster.dataSources(database);
        dataSources.forEach(dataSource -> dataSource.setApplicationName("cluster-test"));
        String program = System.getenv(PROGRAM_VARIABLE);
        this.coordinator = dataSources.get(0);
        this.nodes = IntStream.range(0, dataSources.size())
                .mapToObj(number -> new CitusNode(number, program, logs, dataSources.get(number)))
                .toList();
        this.prepared = new PreparedTransactions(workers());
    }

    @Override
    public Set<Kind> faults() {
        return EnumSet.allOf(Kind.class);
    }

    @Override
    public String url() {
        return cluster.jdbcUrl(database);
    }

    @Override
    public String user() {
        return cluster.username();
    }

    @Override
    public String password() {
        return cluster.password();
    }

    @Override
    public PGSimpleDataSource dataSource() {
        return coordinator;
    }

    @Override
    public List<CitusNode> workers() {
        return nodes.subList(1, nodes.size());
    }

    /** The first instance creates the tables; those that come after it find them distributed. */
    @Override
    public void prepare(Path logs) throws IOException {
        try (SampleInstance first = new SampleInstance("migration", this, logs)) {
            first.start();
            first.awaitReady();
        }
        JdbcTemplate jdbc = new JdbcTemplate(coordinator);
        cluster.distribute(coordinator);
        jdbc.execute(TWO_PHASES);
    }

    @Override
    public void stopImmediately() {
        nodes.get(0).stopImmediately();
    }

    @Override
    public void startAgain() {
        nodes.get(0).startAgain();
    }

    /** How often the coordinator looks for prepared transactions that a crash has left behind. */
    Duration recoveryInterval() {
        return Duration.ofMillis(new JdbcTemplate(coordinator).queryForObject(RECOVERY_INTERVAL, Long.class));
    }

    @Override
    public void awaitRecovery() {
        await().atMost(recoveryInterval().multipliedBy(2)).until(prepared::areNone);
    }

    /** How many transactions were found prepared for so long that only a recovery can have ended them. */
    long leftBehind() {
        return prepared.leftBehind();
    }

    /** Returns for how long a prepared transaction locked its rows, at most. */
    Duration longestLock() {
        return prepared.longest();
    }

    @Override
    public void addTo(Figures figures) {
        figures.add("prepared transactions that a crash left behind", prepared.leftBehind());
        figures.add("longest time that one locked its rows", Figures.seconds(prepared.longest()));
        figures.add("interval of their recovery", Figures.seconds(recoveryInterval()));
    }

    @Override
    public void close() {
        prepared.close();
        cluster.dropDatabase(database);
    }
}
