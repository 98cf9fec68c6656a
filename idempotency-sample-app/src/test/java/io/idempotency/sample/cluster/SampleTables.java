package io.idempotency.sample.cluster;

import java.util.ArrayList;
import java.util.List;

import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.sample.cluster.FinalState.DailyTotals;
import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Message;
import io.idempotency.sample.cluster.FinalState.Receipt;
import io.idempotency.sample.cluster.FinalState.RecordedFailure;
import io.idempotency.sample.cluster.FinalState.Transfer;

/**
 * All that is known here of the sample's tables. Where there are no events yet, each payment stands for one, and what is
 * told of payments for what is told of events.
 */
final class SampleTables {

    private static final String EVENTS = """
            select event_id, account_id, version, event_type as type, amount_cents, balance_cents, payment_id,
                   idempotency_scope as scope, idempotency_key as key
            from account_event left join audit_entry using (event_id)
            order by sequence""";

    private static final String PAYMENTS_AS_EVENTS = """
            with event as (
                select gen_random_uuid() as event_id, account_id, 'opened' as type, 1000000 as amount_cents,
                       null::uuid as payment_id, null::text as scope, null::text as key, '-infinity' as created_at
                from account
                union all
                select gen_random_uuid(), account_id, 'paid', -amount_cents, payment_id, 'payments', reference, created_at
                from payment
            )
            select event_id, account_id, type, amount_cents, payment_id, scope, key,
                   row_number() over past as version, (sum(amount_cents) over past)::bigint as balance_cents
            from event
            window past as (partition by account_id order by created_at, payment_id)""";

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

    private static final String ACTIVITY_AS_TOTALS = """
            select account_id, 1000000::bigint as deposit_cents, 0::bigint as withdrawal_cents,
                   coalesce(cents, 0) as payment_cents
            from account left join account_activity using (account_id)""";

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

    private final JdbcTemplate jdbc;

    SampleTables(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** What the sample offers. */
    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>(List.of(Operation.PAYMENT));
        if (has("account_event")) {
            operations.addAll(List.of(Operation.DEPOSIT, Operation.WITHDRAWAL));
            if (has("provider_transfer")) {
                operations.add(Operation.PAYOUT);
            }
        }
        return operations;
    }

    /** Payments without events bind nothing when they fail. */
    boolean recordsFailures() {
        return has("account_event");
    }

    long pendingMessages() {
        return jdbc.queryForObject(PENDING, Long.class);
    }

    FinalState read(List<Balance> shown) {
        List<Event> events = list(Event.class, has("account_event") ? EVENTS : PAYMENTS_AS_EVENTS);
        return new FinalState(
                events,
                list(RecordedFailure.class, FAILURES),
                has("account_event") ? shown : withVersions(shown, events),
                has("account_balance") ? list(Balance.class, PROJECTED) : withVersions(shown, events),
                list(DailyTotals.class, has("daily_totals") ? TOTALS : ACTIVITY_AS_TOTALS),
                list(
                        Message.class,
                        has("account_event") ? OUTBOX : OUTBOX.replace("topic,", "'account-events' as topic,")),
                list(Receipt.class, RECEIPTS),
                has("provider_transfer") ? list(Transfer.class, TRANSFERS) : List.of());
    }

    private static List<Balance> withVersions(List<Balance> shown, List<Event> events) {
        return shown.stream()
                .map(balance -> new Balance(
                        balance.accountId(),
                        events.stream()
                                .filter(event -> event.accountId().equals(balance.accountId()))
                                .count(),
                        balance.balanceCents()))
                .toList();
    }

    private <T> List<T> list(Class<T> type, String sql) {
        return jdbc.query(sql, DataClassRowMapper.newInstance(type));
    }

    private boolean has(String table) {
        return jdbc.queryForObject("select to_regclass(?) is not null", Boolean.class, table);
    }
}
