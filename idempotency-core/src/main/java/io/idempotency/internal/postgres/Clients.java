package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Lets a {@link JdbcClient} work on one connection, which stays the caller's to close. Its failures are those of
 * {@link SqlFailures}.
 */
final class Clients {

    private Clients() {}

    static JdbcClient on(Connection connection) {
        JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        template.setExceptionTranslator(SqlFailures::translate);
        return JdbcClient.create(template);
    }

    static <T extends @Nullable Object> Function<Connection, T> withClient(Function<JdbcClient, T> work) {
        return connection -> work.apply(on(connection));
    }
}
