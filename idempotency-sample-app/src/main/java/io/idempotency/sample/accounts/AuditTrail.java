package io.idempotency.sample.accounts;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.idempotency.Intent;

/** Who asked for what happened. */
@Repository
class AuditTrail {

    private static final String ADD = """
            insert into audit_entry (event_id, idempotency_scope, caller, idempotency_key)
            values (:eventId, :scope, :caller, :key)""";

    private final JdbcClient jdbc;

    AuditTrail(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void add(AccountEvent event, Intent intent) {
        jdbc.sql(ADD)
                .param("eventId", event.eventId())
                .param("scope", intent.scope())
                .param("caller", intent.caller())
                .param("key", intent.key().value())
                .update();
    }
}
