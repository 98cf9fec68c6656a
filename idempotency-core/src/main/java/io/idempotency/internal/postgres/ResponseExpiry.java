package io.idempotency.internal.postgres;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/** Clears responses after their time. Their keys stay, so that a repeat is refused and not executed. */
final class ResponseExpiry implements Expiry {

    /**
     * Of requests that are over, with success: a lease whose response would be due has none yet. What has expired with its
     * key is deleted with it.
     */
    private static final String EXPIRED = """
            where response_expires_at >= ? and response_expires_at < statement_timestamp()
                and status = 'succeeded' and expires_at >= statement_timestamp()
            order by response_expires_at
            """;

    /** Without its time a row is not in the index any more, which the next run would read from its beginning. */
    private static final String CLEAR = """
            with expired as (
                select ctid, response_expires_at
                from {schema}.idempotency_request
            """ + EXPIRED + """
                limit ?
                for update skip locked),
            cleared as (
                update {schema}.idempotency_request
                set response_body = null, response_expires_at = null
                where ctid = any (array(select ctid from expired))
                returning 1)
            select (select count(*) from cleared), max(response_expires_at)
            from expired""";

    /** When the one expired that is to be cleared next. */
    static final String OLDEST = "select response_expires_at\nfrom {schema}.idempotency_request\n"
            + EXPIRED.replace("response_expires_at >= ? and ", "") + "limit 1";

    private final String clear;

    ResponseExpiry(Schema schema) {
        this.clear = schema.resolve(CLEAR);
    }

    @Override
    public String name() {
        return "response_body";
    }

    @Override
    public ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit) {
        return ExpiredBatch.delete(jdbcClient, clear, from, limit);
    }
}
