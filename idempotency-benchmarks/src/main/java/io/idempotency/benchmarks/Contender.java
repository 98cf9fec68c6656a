package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application with a database of its own, in which effects are made in one way. All have equal pools and settings. */
abstract class Contender implements AutoCloseable {

    private final String name;

    private final String database;

    private final AtomicInteger numbers = new AtomicInteger();

    final EffectSettings settings = new EffectSettings();

    final HikariDataSource pool;

    final JdbcTemplate admin;

    final ConfigurableApplicationContext application;

    /**
     * Starts it.
     *
     * @param configuration beside the {@link CallEffect}
     * @param properties of the application, as {@code name=value}
     */
    Contender(String name, ContenderSetup setup, List<Class<?>> configuration, String... properties) {
        this.name = name;
        this.database = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_");
        setup.server().create(database);
        this.pool = setup.server().pool(database, setup.poolSize());
        this.admin = setup.server().jdbc(database);
        Effect.createTables(admin);
        prepare(admin);
        this.application = BenchmarkApplication.start(pool, settings, configuration, properties);
    }

    final String name() {
        return name;
    }

    final String database() {
        return database;
    }

    /** Another one on every call, so that nothing is repeated. */
    final int nextNumber() {
        return numbers.incrementAndGet();
    }

    /** Creates tables before the application starts. */
    void prepare(JdbcTemplate jdbc) {
        // Nothing is needed beside the effect's tables.
    }

    /** The tables beside the effect's, by which keys are remembered. */
    List<String> tables() {
        return List.of();
    }

    /**
     * Forgets all calls. Of a table that is vacuumed or analyzed while it is empty PostgreSQL keeps in mind that scanning
     * it is the fastest way to a row, until autovacuum looks at it again.
     */
    final void clear() {
        admin.execute("truncate " + String.join(", ", ownTables()));
        Effect.createAccounts(admin);
        admin.execute("vacuum analyze account");
    }

    /** As after a while without work: no dead rows, nothing left to mark. */
    final void settle() {
        admin.execute("vacuum analyze " + String.join(", ", ownTables()));
    }

    private List<String> ownTables() {
        List<String> all = new ArrayList<>(List.of("account", "payment"));
        all.addAll(tables());
        return all;
    }

    /** What is to be said of it in tables. */
    String note() {
        return "";
    }

    @Override
    public void close() {
        application.close();
        pool.close();
    }
}
