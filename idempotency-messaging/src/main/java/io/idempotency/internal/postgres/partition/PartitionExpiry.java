package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/** The step that notes when the last message of a closed partition expires, so that the partition is read only once for it. */
final class PartitionExpiry implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    private final Schema schema;

    private final MaintenanceConnection connection;

    PartitionExpiry(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        List<String> closed = connection.query(this::findClosed);
        boolean done = true;
        for (String partition : closed) {
            // Another instance may have been quicker.
            done &= connection.change(LOCK_TIMEOUT, jdbcClient -> {
                if (findClosed(jdbcClient).contains(partition)) {
                    jdbcClient
                            .sql(schema.resolve(PartitionSql.NOTE_EXPIRY).replace("{partition}", partition))
                            .update();
                }
                return true;
            });
        }
        return done;
    }

    private List<String> findClosed(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(schema.resolve(PartitionSql.FIND_CLOSED))
                .query(String.class)
                .list();
    }
}
