package io.idempotency.postgres;

import java.time.Duration;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.MaintenanceStep;

/** Notes when the last message of a sealed partition expires, so that nobody has to read it for that again. */
final class MessageLeafExpiry implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    private static final String FIND_SEALED = """
            select leaf
            from {schema}.storage_partition
            where parent = 'processed_message' and sealed_at is not null and expires_at is null
            order by starts_at""";

    private static final String NOTE = """
            update {schema}.storage_partition
            set expires_at = coalesce((select max(expires_at) from {schema}.{leaf}), '-infinity')
            where leaf = '{leaf}' and expires_at is null""";

    private final Schema schema;

    private final MaintenanceConnection connection;

    MessageLeafExpiry(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        List<String> sealed = connection.ask(this::findSealed);
        boolean done = true;
        for (String leaf : sealed) {
            // Another instance may have been quicker.
            done &= connection.change(LOCK_TIMEOUT, jdbcClient -> {
                if (findSealed(jdbcClient).contains(leaf)) {
                    jdbcClient.sql(schema.resolve(NOTE).replace("{leaf}", leaf)).update();
                }
                return true;
            });
        }
        return done;
    }

    private List<String> findSealed(JdbcClient jdbcClient) {
        return jdbcClient.sql(schema.resolve(FIND_SEALED)).query(String.class).list();
    }
}
