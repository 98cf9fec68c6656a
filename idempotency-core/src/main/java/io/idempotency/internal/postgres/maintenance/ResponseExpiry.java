package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.request.RequestSql;

/** The expiry of responses. Their keys stay, so that a repeat is refused and not executed. */
final class ResponseExpiry implements Expiry {

    private final String clear;

    ResponseExpiry(Schema schema, boolean isDistributed) {
        this.clear = schema.resolve(
                isDistributed ? RequestSql.CLEAR_EXPIRED_RESPONSES_OF_SHARDS : RequestSql.CLEAR_EXPIRED_RESPONSES);
    }

    @Override
    public String name() {
        return "response_body";
    }

    @Override
    public ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit) {
        return ExpiredBatch.execute(jdbcClient, clear, from, limit);
    }
}
