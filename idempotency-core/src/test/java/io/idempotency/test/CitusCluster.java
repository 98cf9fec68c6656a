package io.idempotency.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The coordinator of a Citus cluster that somebody else started, whose nodes let the same role create databases. */
public final class CitusCluster implements RunningServer {

    /** The environment variable with the URL of the coordinator. */
    public static final String VARIABLE = "IDEMPOTENCY_TEST_CITUS_URL";

    private static final Path PAGE = Path.of("..", "docs", "scaling.md");

    private static final Pattern SQL =
            Pattern.compile("^```sql\\n-- (.*?)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final String WORKERS = """
            select nodename, nodeport
            from pg_dist_node
            where groupid > 0 and noderole = 'primary'
            order by groupid""";

    private static final String LAYOUT_PROPERTY = "idempotency.test.citus.layout";

    private final ServerAddress coordinator;

    private final List<ServerAddress> workers;

    CitusCluster(ServerAddress coordinator) {
        this.coordinator = coordinator;
        this.workers = new JdbcTemplate(dataSource(coordinator, coordinator.database()))
                .query(WORKERS, (row, number) -> coordinator.at(row.getString("nodename"), row.getInt("nodeport")));
        if (workers.isEmpty()) {
            throw new IllegalStateException("The Citus coordinator has no workers");
        }
    }

    /** Connects to the cluster that the environment variable names. */
    public static CitusCluster ofEnvironment() {
        return new CitusCluster(ServerAddress.parse(System.getenv(VARIABLE)));
    }

    @Override
    public ServerAddress address() {
        return coordinator;
    }

    public String jdbcUrl(String database) {
        return coordinator.jdbcUrl(database);
    }

    public String username() {
        return coordinator.username();
    }

    public String password() {
        return coordinator.password();
    }

    /** Returns the data sources of all nodes, that of the coordinator first; each connection is a new one. */
    public List<PGSimpleDataSource> dataSources(String database) {
        return nodes().map(node -> dataSource(node, database)).toList();
    }

    /** Citus does not copy databases of its workers. */
    public void createDatabase(String name) {
        for (ServerAddress node : nodes().toList()) {
            new JdbcTemplate(dataSource(node, node.database())).execute("create database " + name);
            new JdbcTemplate(dataSource(node, name)).execute("create extension citus");
        }
        JdbcTemplate jdbc = new JdbcTemplate(dataSource(coordinator, name));
        jdbc.execute("alter database " + name + " set citus.shard_count = 4");
        jdbc.query("select citus_set_coordinator_host(?, ?)", row -> {}, coordinator.host(), coordinator.port());
        workers.forEach(worker -> jdbc.query("select citus_add_node(?, ?)", row -> {}, worker.host(), worker.port()));
    }

    /** Distributes the library's tables as the documentation says. */
    public void distribute(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("create schema application");
        jdbc.execute("create table application.account (tenant text primary key)");
        jdbc.execute("select create_distributed_table('application.account', 'tenant')");
        boolean byCaller = System.getProperty(LAYOUT_PROPERTY, "").equals("caller");
        statements(byCaller ? "Layout 2" : "Layout 1").forEach(jdbc::execute);
        if (jdbc.queryForObject("select to_regclass('idempotency.outbox_event') is not null", Boolean.class)) {
            statements("Both layouts").forEach(jdbc::execute);
        }
    }

    private static Stream<String> statements(String title) {
        try {
            return SQL.matcher(Files.readString(PAGE))
                    .results()
                    .filter(block -> block.group(1).startsWith(title))
                    .map(block -> block.group(2).replace("'account'", "'application.account'"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    public void dropDatabase(String name) {
        nodes().forEach(node -> new JdbcTemplate(dataSource(node, node.database()))
                .execute("drop database if exists " + name + " with (force)"));
    }

    private Stream<ServerAddress> nodes() {
        return Stream.concat(Stream.of(coordinator), workers.stream());
    }

    private static PGSimpleDataSource dataSource(ServerAddress node, String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(node.jdbcUrl(database));
        dataSource.setUser(node.username());
        dataSource.setPassword(node.password());
        return dataSource;
    }
}
