package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that start together on a database that none of them has migrated. */
@PostgresTest(empty = true)
@Tag("race")
@Tag("full")
class ConcurrentMigrationTest {

    private static final int APPLICATIONS = 3;

    private static final int ROUNDS = TestSize.pick(10, 100);

    private static final int FEWER_ROUNDS = TestSize.pick(5, 100);

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final String applicationRole;

    ConcurrentMigrationTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.applicationRole = database.name() + "_application";
    }

    @BeforeEach
    void createApplicationRole() {
        jdbc.execute("create role %s login password 'secret'".formatted(applicationRole));
    }

    @AfterEach
    void dropApplicationRole() {
        jdbc.execute("drop owned by %1$s; drop role %1$s".formatted(applicationRole));
    }

    @Test
    void createSchemaAndTablesOnce() {
        for (int round = 1; round <= ROUNDS; round++) {
            startTogether("", "idempotency.schema=round_" + round);

            requireMigratedOnce("round_" + round);
        }
    }

    @Test
    void createTheTablesOnceInASchemaThatHoldsTheApplicationsToo() {
        for (int round = 1; round <= FEWER_ROUNDS; round++) {
            jdbc.execute("create schema shared_%1$d; create table shared_%1$d.business (id int)".formatted(round));

            startTogether("", "idempotency.schema=shared_" + round);

            requireMigratedOnce("shared_" + round);
        }
    }

    @Test
    void createAndGrantTheTablesOnceWithAMigrationUser() {
        for (int round = 1; round <= FEWER_ROUNDS; round++) {
            startTogether(
                    "user=" + applicationRole + "&password=secret",
                    "idempotency.schema=granted_" + round,
                    "idempotency.migration.url=" + database.jdbcUrl(),
                    "idempotency.migration.user=" + database.username(),
                    "idempotency.migration.password=" + database.password());

            requireMigratedOnce("granted_" + round);
        }
    }

    private void startTogether(String urlParameters, String... properties) {
        CyclicBarrier startingLine = new CyclicBarrier(APPLICATIONS);
        ConcurrentCalls.run(
                        APPLICATIONS,
                        () -> new ApplicationContextRunner()
                                .withConfiguration(AutoConfigurations.of(
                                        IdempotencyAutoConfiguration.class,
                                        IdempotencyMessagingAutoConfiguration.class,
                                        IdempotencyMessagingStorageAutoConfiguration.class,
                                        IdempotencyMigrationAutoConfiguration.class))
                                .withBean(DataSource.class, () -> connectingTogether(urlParameters, startingLine))
                                .withPropertyValues(properties)
                                .run(context -> assertThat(context).hasNotFailed()))
                .requireAllSucceeded();
    }

    private DataSource connectingTogether(String urlParameters, CyclicBarrier startingLine) {
        String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + urlParameters;
        AtomicBoolean started = new AtomicBoolean();
        return new DelegatingDataSource(new DriverManagerDataSource(url, database.username(), database.password())) {
            @Override
            public Connection getConnection() throws SQLException {
                if (started.compareAndSet(false, true)) {
                    await(startingLine);
                }
                return super.getConnection();
            }
        };
    }

    private static void await(CyclicBarrier startingLine) {
        try {
            startingLine.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException failure) {
            throw new IllegalStateException("Not all applications came to the starting line", failure);
        }
    }

    private void requireMigratedOnce(String schema) {
        assertThat(jdbc.queryForList(
                        "select version from %s.idempotency_schema_history where version = '1' and success"
                                .formatted(schema),
                        String.class))
                .as("migrations in %s", schema)
                .hasSize(1);
    }
}
