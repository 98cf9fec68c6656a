package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

import org.postgresql.PGNotification;
import org.postgresql.core.BaseConnection;

import io.idempotency.internal.outbox.OutboxChannel;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** {@code LISTEN} and {@code NOTIFY}. The channel is named after the table's oid, because a name could be too long. */
final class OutboxNotifications implements OutboxChannel {

    private static final String CHANNEL = "'idempotency_outbox_' || '{schema}.outbox_event'::regclass::oid::text";

    private static final String NOTIFY = "select 1 from pg_notify(" + CHANNEL + ", '')";

    private static final String FIND_CHANNEL = "select " + CHANNEL;

    private static final String LISTEN = "listen ";

    private static final String UNLISTEN = "unlisten *";

    private final Schema schema;

    private final DataSource dataSource;

    private final RequiresNewTransaction transaction;

    OutboxNotifications(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public void announce() {
        transaction.call(Clients.withClient(
                jdbcClient -> jdbcClient.sql(schema.resolve(NOTIFY)).query().singleValue()));
    }

    @Override
    public void listen(Runnable heard, BooleanSupplier stopped, Duration patience) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            try {
                statement.execute(LISTEN + findChannel(statement));
                BaseConnection listening = connection.unwrap(BaseConnection.class);
                heard.run();
                while (!stopped.getAsBoolean()) {
                    PGNotification[] notifications = listening.getNotifications((int) patience.toMillis());
                    if (notifications != null && notifications.length > 0) {
                        heard.run();
                    }
                }
            } finally {
                // The pool does not know that its connection listens.
                statement.execute(UNLISTEN);
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("listen for messages", LISTEN, failure);
        }
    }

    private String findChannel(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(schema.resolve(FIND_CHANNEL))) {
            row.next();
            return row.getString(1);
        }
    }
}
