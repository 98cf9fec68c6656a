package io.idempotency.boot.outbox;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

import io.idempotency.IdempotencyStartupException;

/** The check that the pool is large enough: otherwise the relay or the application would never get a connection. */
final class PoolChecks {

    private PoolChecks() {}

    /** Requires one connection for the relay, one for handlers meanwhile, and one for a listener. */
    static void require(DataSource dataSource, boolean handles, boolean listens) {
        HikariDataSource pool =
                DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        int needed = 1 + (handles ? 1 : 0) + (listens ? 1 : 0);
        if (pool == null || pool.getMaximumPoolSize() >= needed) {
            return;
        }
        String reasons = "the relay has one while it sends"
                + (handles ? ", a method with @OutboxHandler needs another one meanwhile" : "")
                + (listens ? ", and idempotency.outbox.notifications keeps one to listen" : "");
        throw new IdempotencyStartupException(
                "The connection pool has at most " + connections(pool.getMaximumPoolSize()) + ", but the outbox needs "
                        + needed + ": " + reasons + ".",
                "Set spring.datasource.hikari.maximum-pool-size to at least " + needed
                        + ", better to more than that"
                        + (handles ? " plus idempotency.outbox.handler-threads." : "."));
    }

    private static String connections(int count) {
        return count == 1 ? "one connection" : count + " connections";
    }
}
