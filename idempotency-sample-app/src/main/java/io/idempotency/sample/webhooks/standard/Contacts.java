package io.idempotency.sample.webhooks.standard;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The address book in the database. */
@Repository
class Contacts {

    private static final String PUT = """
            insert into contact (contact_id, full_name, deleted, changed_at)
            values (:contactId, :fullName, :deleted, :changedAt)
            on conflict (contact_id) do update
            set full_name = excluded.full_name, deleted = excluded.deleted, changed_at = excluded.changed_at
            where contact.changed_at <= excluded.changed_at""";

    private final JdbcClient jdbc;

    Contacts(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Lets a contact be like this, unless it is known how it was later. A deleted one stays as a row, or what was before
     * would bring it back.
     */
    void put(String contactId, @Nullable String fullName, boolean deleted, OffsetDateTime changedAt) {
        jdbc.sql(PUT)
                .param("contactId", contactId)
                .param("fullName", fullName)
                .param("deleted", deleted)
                .param("changedAt", changedAt)
                .update();
    }
}
