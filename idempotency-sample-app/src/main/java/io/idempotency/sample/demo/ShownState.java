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
                        'attempts', r.attempt_count,
                        'createdAt', r.created_at,
                        'updatedAt', r.updated_at,
                        'expiresAt', r.expires_at,
                        'result', r.result_ref_id,
                        'response', r.response_body,
                        'failure', r.failure_message)
                    from idempotency.idempotency_request as r
                    where r.request_id = idempotency.idempotency_request_id('payments', :key)),
                'payments', (
                    select coalesce(
                        json_agg(
                            json_build_object(
                                'paymentId', payment_id,
                                'accountId', account_id,
                                'amountCents', amount_cents,
                                'status', status,
                                'createdAt', created_at)
                            order by created_at),
                        '[]')
                    from payment
                    where reference = :key),
                'messages', (
                    select coalesce(
                        json_agg(
                            json_build_object(
                                'topic', topic,
                                'type', message_type,
                                'status', status,
                                'milliseconds', round(extract(epoch from sent_at - created_at) * 1000))
                            order by sequence),
                        '[]')
                    from idempotency.outbox_event
                    where idempotency_scope = 'payments' and idempotency_key = :key),
                'waiting', (
                    select count(*)
                    from idempotency.outbox_event
                    where status = 'pending'),
                'notifications', (
                    select count(*)
                    from sent_notification
                    join payment using (payment_id)
                    where reference = :key),
                'account', (
                    select json_build_object(
                        'version', event.version,
                        'balanceCents', event.balance_cents,
                        'projectedVersion', coalesce(balance.version, 0),
                        'projectedCents', coalesce(balance.balance_cents, 0),
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
                    limit 1),
                'recent', (
                    select coalesce(json_agg(to_json(request)), '[]')
                    from (
                        select
                            idempotency_scope as scope,
                            idempotency_key as key,
                            status,
                            attempt_count as attempts,
                            updated_at as "updatedAt"
                        from idempotency.idempotency_request
                        order by created_at desc
                        limit 8) request))::text""";

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
