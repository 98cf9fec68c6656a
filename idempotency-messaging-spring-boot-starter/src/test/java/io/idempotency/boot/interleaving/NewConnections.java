package io.idempotency.boot.interleaving;

import java.sql.Connection;
import java.sql.SQLException;

import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Connects a pool that has to replace connections as fast as faults end them. */
final class NewConnections extends AbstractDataSource {

    /** The end of the name of the thread that adds connections to a pool. */
    private static final String ADDER = ":connection-adder";

    private final PGSimpleDataSource server = new PGSimpleDataSource();

    private NewConnections(String url) {
        server.setUrl(url);
    }

    /** Connects a pool that has not started. */
    static void of(HikariDataSource pool) {
        pool.setDataSource(new NewConnections(pool.getJdbcUrl()));
    }

    @Override
    public Connection getConnection() throws SQLException {
        throw new SQLException("The pool of an application has a user and a password");
    }

    /** Hikari sleeps for 30 ms after each connection that it has added. An interrupt ends that, and nothing before it. */
    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        Connection connection = server.getConnection(username, password);
        if (Thread.currentThread().getName().endsWith(ADDER)) {
            Thread.currentThread().interrupt();
        }
        return connection;
    }

    /** The driver would start a thread for each connection to end it in time. */
    @Override
    public void setLoginTimeout(int timeout) {}
}
