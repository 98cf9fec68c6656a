package io.idempotency.sample.webhooks;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The events in the database, as they came. */
@Repository
public class IncomingWebhooks {

    private static final String INSERT = """
            insert into incoming_webhook (provider, event_id, event_type, body)
            values (:provider, :eventId, :eventType, :body)
            returning incoming_webhook_id""";

    private final JdbcClient jdbc;

    IncomingWebhooks(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Keeps an event and returns its number. */
    public long keep(Webhook webhook) {
        return jdbc.sql(INSERT)
                .param("provider", webhook.provider())
                .param("eventId", webhook.id())
                .param("eventType", webhook.type())
                .param("body", webhook.body())
                .query(Long.class)
                .single();
    }
}
