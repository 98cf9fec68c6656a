package io.idempotency.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.context.ApplicationContext;

/** All databases of PostgreSQL that the application is connected to. */
final class Databases implements StatementRecorder.Backends, AutoCloseable {

    private final Map<String, Oracle> byIdentity = new LinkedHashMap<>();

    private final Map<String, Oracle> byUrl = new HashMap<>();

    private final Map<Oracle, List<Change>> taken = new HashMap<>();

    private final Writers writers = new Writers();

    private final String librarySchema;

    private Databases(String librarySchema) {
        this.librarySchema = librarySchema;
    }

    static Databases open(ApplicationContext context) throws SQLException {
        Databases databases = new Databases(context.getEnvironment().getProperty("idempotency.schema", "idempotency"));
        try {
            for (Map.Entry<String, DataSource> bean :
                    context.getBeansOfType(DataSource.class).entrySet()) {
                databases.add(connect(bean.getValue()), DataSourceOrigin.of(bean.getKey(), context));
            }
            if (databases.byIdentity.isEmpty()) {
                throw new IllegalStateException("The application has no DataSource of PostgreSQL");
            }
        } catch (SQLException | RuntimeException failure) {
            try (databases) {
                throw failure;
            }
        }
        return databases;
    }

    /** Keeps none of a usual pool, which may have one connection only. */
    private static Connection connect(DataSource dataSource) throws SQLException {
        HikariDataSource pool =
                DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        if (pool != null && pool.getJdbcUrl() != null) {
            return DriverManager.getConnection(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword());
        }
        return AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource unprobed
                ? unprobed.getConnection()
                : dataSource.getConnection();
    }

    private void add(Connection connection, DataSourceOrigin origin) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            connection.close();
            return;
        }
        Oracle oracle = new Oracle(connection);
        Oracle known = byIdentity.putIfAbsent(oracle.identity(), oracle);
        if (known == null) {
            byUrl.put(oracle.url(), oracle);
            oracle.open(writers, origin);
        } else {
            byUrl.put(oracle.url(), known);
            connection.close();
        }
    }

    @Override
    public void terminate(String url, int pid) {
        Oracle oracle = byUrl.get(url);
        if (oracle == null) {
            throw new IllegalStateException(
                    "No DataSource of the application has the URL of the statement's connection");
        }
        oracle.terminate(pid);
    }

    @Override
    public @Nullable Long transaction(String url, int pid) throws SQLException {
        Oracle oracle = byUrl.get(url);
        return oracle == null ? null : oracle.transaction(pid);
    }

    /** Returns the changes since the last time, when no transaction is open. Those of a database without the library's tables name it. */
    List<Change> take() {
        List<Change> changes = new ArrayList<>();
        byIdentity.values().forEach(oracle -> {
            oracle.awaitIdle();
            List<Change> ofDatabase = oracle.takeChanges();
            taken.computeIfAbsent(oracle, key -> new ArrayList<>()).addAll(ofDatabase);
            String prefix = isOfLibrary(oracle) ? "" : oracle.database() + ".";
            ofDatabase.forEach(change -> changes.add(change.withTable(prefix + change.table())));
        });
        return changes;
    }

    /** Undoes the changes that were taken. */
    void undo() {
        taken.forEach(Oracle::restore);
        taken.clear();
    }

    Map<String, Long> sequences() {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (Oracle oracle : byIdentity.values()) {
            numbers.putAll(oracle.sequences());
        }
        return numbers;
    }

    void expireLeases() {
        for (Oracle oracle : byIdentity.values()) {
            if (isOfLibrary(oracle)) {
                oracle.expireLeases(librarySchema + ".idempotency_request");
            }
        }
    }

    /** Lets what stays the same between two runs by chance differ: connections, and numbers that sequences have in common. */
    void moveOn(Run run) {
        Set<String> ended = new HashSet<>();
        for (RecordedStatement statement : run.statements()) {
            Oracle oracle = byUrl.get(statement.url());
            if (oracle != null && ended.add(statement.url() + " " + statement.backend())) {
                oracle.terminate(statement.backend());
            }
        }
        long most =
                run.numbers().values().stream().mapToLong(Numbers::count).max().orElse(0);
        long distance = 0;
        for (Oracle oracle : byIdentity.values()) {
            for (String sequence : oracle.sequences().keySet()) {
                distance += most + 1;
                oracle.advance(sequence, distance);
            }
        }
    }

    Writers writers() {
        return writers;
    }

    String librarySchema() {
        return librarySchema;
    }

    private boolean isOfLibrary(Oracle oracle) {
        return oracle.hasTable(librarySchema + ".idempotency_request");
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (Oracle oracle : byIdentity.values()) {
            try {
                oracle.close();
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
