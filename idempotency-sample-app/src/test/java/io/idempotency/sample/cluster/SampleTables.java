package io.idempotency.sample.cluster;

import java.util.List;

import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.sample.cluster.FinalState.DailyTotals;
import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Invoice;
import io.idempotency.sample.cluster.FinalState.KeptWebhook;
import io.idempotency.sample.cluster.FinalState.Message;
import io.idempotency.sample.cluster.FinalState.Notification;
import io.idempotency.sample.cluster.FinalState.Payment;
import io.idempotency.sample.cluster.FinalState.Receipt;
import io.idempotency.sample.cluster.FinalState.RecordedFailure;
import io.idempotency.sample.cluster.FinalState.Settlement;
import io.idempotency.sample.cluster.FinalState.Transfer;

/** All that is known here of the sample's tables. */
final class SampleTables {

    private static final String EVENTS = """
            select event_id, account_id, version, event_type as type, amount_cents, balance_cents, payment_id,
                   idempotency_scope as scope, idempotency_key as key
            from account_event left join audit_entry using (event_id)
            order by sequence""";

    private static final String FAILURES = """
            select idempotency_scope as scope, idempotency_key as key, failure_code as code
            from idempotency.idempotency_request
            where status = 'failed_final'""";

    private static final String PROJECTED = """
            select account_id, version, balance_cents
            from account_balance join projection on name = 'account-balance' and serving = generation""";

    private static final String TOTALS = """
            select account_id, sum(deposited_cents)::bigint as deposit_cents,
                   sum(withdrawn_cents)::bigint as withdrawal_cents, sum(paid_cents)::bigint as payment_cents
            from daily_totals join projection on name = 'daily-totals' and serving = generation
            group by account_id""";

    private static final String PENDING = "select count(*) from idempotency.outbox_event where status = 'pending'";

    private static final String OUTBOX = """
            select message_id::text as message_id, topic, coalesce(ordering_key, '') as account_id, status,
                   md5(payload::text) as content
            from idempotency.outbox_event""";

    private static final String RECEIPTS = """
            select consumer, message_id, encode(payload_hash, 'hex') as content
            from idempotency.processed_message
            where payload_hash is not null""";

    private static final String TRANSFERS = """
            select idempotency_key as key, account as account_id, amount_cents
            from provider_transfer
            where transfer_id is not null""";

    private static final String PAYMENTS = "select payment_id, account_id, amount_cents, reference from payment";

    private static final String NOTIFICATIONS = "select payment_id, account_id, text from sent_notification";

    private static final String WEBHOOKS = "select event_id, event_type as type from incoming_webhook";

    private static final String INVOICES = "select invoice_id, status::text as status from customer_invoice";

    private static final String SETTLEMENTS = "select payment_id from payment_settlement";

    private final JdbcTemplate jdbc;

    SampleTables(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    long pendingMessages() {
        return jdbc.queryForObject(PENDING, Long.class);
    }

    FinalState read(List<Balance> shown) {
        return new FinalState(
                list(Event.class, EVENTS),
                list(RecordedFailure.class, FAILURES),
                shown,
                list(Balance.class, PROJECTED),
                list(DailyTotals.class, TOTALS),
                list(Message.class, OUTBOX),
                list(Receipt.class, RECEIPTS),
                list(Transfer.class, TRANSFERS),
                list(Payment.class, PAYMENTS),
                list(Notification.class, NOTIFICATIONS),
                list(KeptWebhook.class, WEBHOOKS),
                list(Invoice.class, INVOICES),
                list(Settlement.class, SETTLEMENTS));
    }

    private <T> List<T> list(Class<T> type, String sql) {
        return jdbc.query(sql, DataClassRowMapper.newInstance(type));
    }
}
