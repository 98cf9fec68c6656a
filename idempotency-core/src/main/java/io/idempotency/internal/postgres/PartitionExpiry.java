package io.idempotency.internal.postgres;

import java.time.Duration;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.retention.MaintenanceStep;

/** Notes when the last message of a closed partition expires, so that the partition is read for that once only. */
final class PartitionExpiry implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    private static final String FIND_CLOSED = """
            select name
            from {schema}.processed_message_partition
            where closed_at is not null and expires_at is null
            order by starts_at""";

    private static final String NOTE = """
            update {schema}.processed_message_partition
            set expires_at = coalesce((select max(expires_at) from {schema}.{partition}), '-infinity')
            where name = '{partition}' and expires_at is null""";

    private final Schema schema;

    private final MaintenanceConnection connection;

    PartitionExpiry(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        List<String> closed = connection.ask(this::findClosed);
        boolean done = true;
        for (String partition : closed) {
            // Another instance may have been quicker.
            done &= connection.change(LOCK_TIMEOUT, jdbcClient -> {
                if (findClosed(jdbcClient).contains(partition)) {
                    jdbcClient
                            .sql(schema.resolve(NOTE).replace("{partition}", partition))
                            .update();
                }
                return true;
            });
        }
        return done;
    }

    private List<String> findClosed(JdbcClient jdbcClient) {
        return jdbcClient.sql(schema.resolve(FIND_CLOSED)).query(String.class).list();
    }
}
