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
                        'status', status,
                        'attempts', attempt_count,
                        'createdAt', created_at,
                        'updatedAt', updated_at,
                        'expiresAt', expires_at,
                        'result', result_ref_id,
                        'response', response_body,
                        'failure', failure_message)
                    from idempotency.idempotency_request
                    where request_id = idempotency.idempotency_request_id('payments', :key)),
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
                'account', (
                    select json_build_object(
                        'balanceCents', balance_cents,
                        'payments', (
                            select json_build_object('count', count(*), 'cents', coalesce(sum(amount_cents), 0))
                            from payment
                            where payment.account_id = account.account_id),
                        'projected', json_build_object(
                            'count', coalesce(activity.payments, 0), 'cents', coalesce(activity.cents, 0)))
                    from account
                    left join account_activity activity using (account_id)
                    where account_id = :accountId),
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
