package io.idempotency.sample.webhooks.twilio;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The text messages and calls in the database. */
@Repository
class Communications {

    /** Twilio's statuses follow each other as the type lists them; one that it does not list finds no row. */
    private static final String ADVANCE = """
            insert into communication (sid, status)
            select :sid, known.status
            from unnest(enum_range(null::communication_status)) as known (status)
            where known.status::text = :status
            on conflict (sid) do update
            set status = excluded.status, updated_at = clock_timestamp()
            where communication.status < excluded.status""";

    private final JdbcClient jdbc;

    Communications(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Lets a message or call have this status, unless it has a later one already. */
    void advance(String sid, String status) {
        jdbc.sql(ADVANCE).param("sid", sid).param("status", status).update();
    }
}
