package io.idempotency.sample.demo;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What the page shows of the database: all of it at one moment, as JSON. */
@Repository
class ShownState {

    private static final String READ = """
            select json_build_object(
                'key', :key,
                'accountId', :accountId,
                'row', (
                    select json_build_object(
                        'status', r.status,
                        'expiresAt', r.expires_at,
                        'response', r.response_body,
                        'failure', r.failure_message)
                    from idempotency.idempotency_request as r
                    where r.request_id = idempotency.idempotency_request_id('payments', :key)),
                'payments', (
                    select count(*)
                    from payment
                    where reference = :key),
                'messages', (
                    select coalesce(
                        json_agg(
                            json_build_object(
                                'type', message_type,
                                'status', status,
                                'milliseconds', round(extract(epoch from sent_at - created_at) * 1000))
                            order by sequence),
                        '[]')
                    from idempotency.outbox_event
                    where idempotency_scope = 'payments' and idempotency_key = :key),
                'notifications', (
                    select count(*)
                    from sent_notification
                    join payment using (payment_id)
                    where reference = :key),
                'account', (
                    select json_build_object(
                        'version', event.version,
                        'balanceCents', event.balance_cents,
                        'openedCents', (
                            select balance_cents
                            from account_event
                            where account_id = :accountId and version = 1),
                        'charged', (
                            select json_build_object(
                                'charges', count(*),
                                'doubles', count(*) filter (where nth > 1),
                                'doubledCents', coalesce(sum(amount_cents) filter (where nth > 1), 0))
                            from (
                                select amount_cents, row_number() over (partition by reference order by created_at) as nth
                                from payment
                                where account_id = :accountId) charge),
                        'projectedVersion', coalesce(balance.version, 0),
                        'countedEvents', (
                            select coalesce(sum(events), 0)
                            from daily_totals
                            where generation = (select serving from projection where name = 'daily-totals')
                                and account_id = :accountId))
                    from account_event event
                    left join account_balance balance
                        on balance.account_id = event.account_id
                        and balance.generation = (select serving from projection where name = 'account-balance')
                    where event.account_id = :accountId
                    order by event.version desc
                    limit 1))::text""";

    private final JdbcClient jdbc;

    ShownState(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    String read(String key, String accountId) {
        return jdbc.sql(READ)
                .param("key", key)
                .param("accountId", accountId)
                .query(String.class)
                .single();
    }
}
