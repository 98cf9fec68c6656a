package io.idempotency.sample;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

import static org.awaitility.Awaitility.await;

/** The sample in this JVM, with a client of it and a look into its tables. */
final class RunningSample implements AutoCloseable {

    private final ConfigurableApplicationContext application;

    private final Runnable dropDatabase;

    private final WalletClient wallet;

    private RunningSample(ConfigurableApplicationContext application, Runnable dropDatabase) {
        this.application = application;
        this.dropDatabase = dropDatabase;
        this.wallet = WalletClient.of(url());
    }

    /** On any free port and a database of its own, with more properties as {@code --name=value}. */
    static RunningSample start(String... properties) {
        return start(0, properties);
    }

    static RunningSample start(int port, String... properties) {
        TestDatabase database = TestDatabase.create();
        return new RunningSample(run(database, port, properties), database::close);
    }

    /** On any free port and a database that the caller closes. */
    static RunningSample startOn(TestDatabase database, String... properties) {
        return new RunningSample(run(database, 0, properties), () -> {});
    }

    private static ConfigurableApplicationContext run(TestDatabase database, int port, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(properties));
        arguments.add("--server.port=" + port);
        arguments.add("--spring.profiles.include=postgres");
        database.springProperties().forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return SpringApplication.run(SampleApplication.class, arguments.toArray(String[]::new));
    }

    <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    int port() {
        return Integer.parseInt(application.getEnvironment().getRequiredProperty("local.server.port"));
    }

    String url() {
        return "http://localhost:" + port();
    }

    WalletClient wallet() {
        return wallet;
    }

    JdbcTemplate jdbc() {
        return bean(JdbcTemplate.class);
    }

    /** Counts the rows of a table. The conditions follow its name. */
    long count(String rows, Object... parameters) {
        return jdbc().queryForObject("select count(*) from " + rows, Long.class, parameters);
    }

    List<String> texts(String query, Object... parameters) {
        return jdbc().queryForList(query, String.class, parameters);
    }

    void awaitAllSent() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> count("idempotency.outbox_event where status <> 'sent'") == 0);
    }

    /** A transaction that has executed this, and ends with its connection. */
    Connection begin(String statement) throws SQLException {
        Connection connection = bean(DataSource.class).getConnection();
        connection.setAutoCommit(false);
        connection.createStatement().execute(statement);
        return connection;
    }

    /** How many statements like this one wait for a lock. */
    long waiting(String statement) {
        return count("pg_stat_activity where wait_event_type = 'Lock' and query like ?", statement);
    }

    void awaitWaiting(int statements) {
        await().until(() -> waiting("%") == statements);
    }

    @Override
    public void close() {
        application.close();
        dropDatabase.run();
    }
}
