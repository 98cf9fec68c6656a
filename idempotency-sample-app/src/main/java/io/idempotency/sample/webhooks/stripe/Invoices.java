package io.idempotency.sample.webhooks.stripe;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The invoices in the database. */
@Repository
class Invoices {

    /** Stripe's statuses follow each other as the type lists them; one that it does not list finds no row. */
    private static final String ADVANCE = """
            insert into customer_invoice (invoice_id, status)
            select :invoiceId, known.status
            from unnest(enum_range(null::invoice_status)) as known (status)
            where known.status::text = :status
            on conflict (invoice_id) do update
            set status = excluded.status, updated_at = clock_timestamp()
            where customer_invoice.status < excluded.status""";

    private final JdbcClient jdbc;

    Invoices(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Lets an invoice have this status, unless it has a later one already. */
    void advance(String invoiceId, String status) {
        jdbc.sql(ADVANCE).param("invoiceId", invoiceId).param("status", status).update();
    }
}
