package io.idempotency.boot.outbox;

import java.util.List;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.outbox.InProcessSender;
import io.idempotency.outbox.OutboxHandlers;
import io.idempotency.outbox.OutboxSender;

/** What would keep messages from ever being handled. */
final class SenderChecks {

    private SenderChecks() {}

    static void require(
            OutboxSender sender, OutboxHandlers handlers, List<InProcessSender> inProcess, DataSource dataSource) {
        if (handlers.isEmpty()) {
            return;
        }
        if (inProcess.isEmpty()) {
            throw new IdempotencyStartupException(
                    "There are methods with @OutboxHandler for " + handlers.topics() + ", but all messages go to "
                            + sender.getClass().getName() + ", so nobody would call them.",
                    "Set idempotency.outbox.sender=in-process, or receive the messages from the broker instead.");
        }
        requireTwoConnections(dataSource);
    }

    /** Handlers work on another connection than the relay, which keeps its own meanwhile. */
    private static void requireTwoConnections(DataSource dataSource) {
        HikariDataSource pool =
                DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        if (pool != null && pool.getMaximumPoolSize() < 2) {
            throw new IdempotencyStartupException(
                    "There are methods with @OutboxHandler, but the connection pool has one connection: the relay has it"
                            + " while a handler waits for it.",
                    "Set spring.datasource.hikari.maximum-pool-size to at least 2, and better to some more than"
                            + " idempotency.outbox.handler-threads.");
        }
    }
}
