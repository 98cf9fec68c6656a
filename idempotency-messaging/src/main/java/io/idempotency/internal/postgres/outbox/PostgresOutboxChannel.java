package io.idempotency.internal.postgres.outbox;

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

/** The channel between instances by {@code NOTIFY} and {@code LISTEN}. */
public final class PostgresOutboxChannel implements OutboxChannel {

    private final Schema schema;

    private final DataSource dataSource;

    private final RequiresNewTransaction transaction;

    /** Prepares the statements. */
    public PostgresOutboxChannel(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public void announce() {
        transaction.call(Clients.withClient(jdbcClient ->
                jdbcClient.sql(schema.resolve(OutboxSql.NOTIFY)).query().singleValue()));
    }

    @Override
    public void listen(Runnable heard, BooleanSupplier stopped, Duration patience) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            String[] channelAndIdle = findChannel(statement);
            try {
                statement.execute(OutboxSql.LISTEN + channelAndIdle[0]);
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
                statement.execute(OutboxSql.UNLISTEN + statement.enquoteLiteral(channelAndIdle[1]));
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("listen for messages", OutboxSql.LISTEN, failure);
        }
    }

    private String[] findChannel(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(schema.resolve(OutboxSql.FIND_CHANNEL))) {
            row.next();
            return new String[] {row.getString("channel"), row.getString("idle")};
        }
    }
}
