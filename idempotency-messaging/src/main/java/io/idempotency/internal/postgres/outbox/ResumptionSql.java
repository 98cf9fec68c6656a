package io.idempotency.internal.postgres.outbox;

import io.idempotency.internal.outbox.Lanes;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.resume.DueCall;

/**
 * The statements of the messages in {@code outbox_event} that let calls be resumed. There is one for a request, whose id is its
 * deduplication key. Its aggregate is the lease that it follows, so that a former holder of the key changes nothing.
 */
final class ResumptionSql {

    private static final String TOPIC = "'" + DueCall.TOPIC + "'";

    /** The indexes find the message by topic and deduplication key. */
    private static final String OF_REQUEST = "where topic operator(pg_catalog.=) " + TOPIC
            + " and deduplication_key operator(pg_catalog.=) cast(cast(? as uuid) as text)";

    private static final String OF_CLAIM = OF_REQUEST
            + "\n    and aggregate_id operator(pg_catalog.=) cast(? as text)"
            + " and status operator(pg_catalog.=) 'pending'";

    private static final String LATER = "statement_timestamp() + cast(? as float8) * interval '1 millisecond'";

    /** JSON keeps the text of its values, and may have a name twice. Other statements of the claim follow. */
    static final String SCHEDULE = WaitBound.around("""
            insert into {schema}.outbox_event (
                message_id, topic, message_type, lane, aggregate_type, aggregate_id, payload, headers, deduplication_key,
                idempotency_scope, caller, idempotency_key, status, attempt_count, created_at, due_at, next_attempt_at)
            select ?, %s, ?, %s, 'lease', cast(cast(? as uuid) as text), (
                    select coalesce(pg_catalog.json_object_agg(argument.name, cast(argument.value as json)), '{}'::json)
                    from unnest(?::text[], ?::text[]) as argument (name, value)),
                '{}', cast(cast(? as uuid) as text), ?, ?, ?, 'pending', ?, statement_timestamp(), t.due, t.due
            from (select %s as due) t
            on conflict (topic, deduplication_key) do update
            set lane = excluded.lane, aggregate_id = excluded.aggregate_id, payload = excluded.payload,
                idempotency_scope = excluded.idempotency_scope, caller = excluded.caller,
                idempotency_key = excluded.idempotency_key, status = 'pending', attempt_count = excluded.attempt_count, created_at = excluded.created_at, due_at = excluded.due_at,
                next_attempt_at = excluded.next_attempt_at, sent_at = null, expires_at = null""".formatted(TOPIC, Lanes.OF_RESUMPTIONS, LATER));

    static final String CANCEL = "delete from {schema}.outbox_event\n" + OF_CLAIM;

    static final String FAIL = """
            update {schema}.outbox_event
            set status = failed.status, last_error = pg_catalog.left(failed.error, 1000),
                due_at = case when failed.status = 'pending' then failed.due else statement_timestamp() end,
                next_attempt_at = failed.due,
                sent_at = case when failed.status = 'sent' then statement_timestamp() end,
                expires_at = case when failed.status = 'sent' then failed.due end
            from (
                select cast(? as text) as status, cast(? as text) as error, %s as due) as failed
            """.formatted(LATER) + OF_CLAIM.replace("and status ", "and outbox_event.status ");

    static final String RELEASE = """
            update {schema}.outbox_event
            set aggregate_id = cast(cast(? as uuid) as text), status = 'pending', attempt_count = 0,
                due_at = statement_timestamp(), next_attempt_at = statement_timestamp(), sent_at = null, expires_at = null
            """ + OF_REQUEST;

    static final String REMOVE = "delete from {schema}.outbox_event\n" + OF_REQUEST;

    private static final String IS_PENDING = """
            where status operator(pg_catalog.=) 'pending'
                and lane operator(pg_catalog.=) %s
                and next_attempt_at >= cast(cast(? as text) as timestamptz)
            """.formatted(Lanes.OF_RESUMPTIONS);

    private static final String IS_DUE = IS_PENDING + """
                and next_attempt_at <= statement_timestamp()
                and topic operator(pg_catalog.=) %s
            """.formatted(TOPIC);

    /** Locks nothing: many may find a message, and one of them claims its key. */
    static final String FIND_DUE =
            "select " + OutboxSql.BEFORE_FIRST + """
            (
                select next_attempt_at
                from {schema}.outbox_event
            """ + IS_PENDING + "order by next_attempt_at limit 1)"
                    + OutboxSql.AFTER_FIRST + """
            ;
            select message_id, idempotency_scope, caller, idempotency_key, aggregate_id, attempt_count, payload::text as payload,
                   %s as waited
            from {schema}.outbox_event
            """.formatted(OutboxSql.WAITED) + IS_DUE + """
                and idempotency_scope operator(pg_catalog.=) any (?)
                and message_id <> all (?)
            order by next_attempt_at, sequence
            limit ?""";

    static final String HAS_OTHERS = "select exists (select from {schema}.outbox_event\n" + IS_DUE
            + "    and idempotency_scope operator(pg_catalog.<>) all (?))";

    /** A distributed table may have the caller as its distribution column. */
    static final String FIND_UNLOCKED = """
            select from {schema}.idempotency_request
            where request_id = ? and caller operator(pg_catalog.=) ?
            for update skip locked""";

    private static final String CHANGE = WaitBound.BRIEFLY + "update {schema}.outbox_event\n";

    /** Unless it was scheduled anew since it was found. */
    private static final String OF_DUE = """

            where message_id = ? and coalesce(aggregate_id, '') operator(pg_catalog.=) cast(? as text)
                and status operator(pg_catalog.=) 'pending' and next_attempt_at <= statement_timestamp()""";

    static final String AWAIT_LEASE = CHANGE + "set due_at = %1$s, next_attempt_at = %1$s".formatted(LATER) + OF_DUE;

    /** It stays due since when it was, so that samples show a call that no instance can make. */
    static final String POSTPONE = CHANGE + "set next_attempt_at = " + LATER + ", last_error = ?" + OF_DUE;

    static final String DROP = WaitBound.BRIEFLY + "delete from {schema}.outbox_event" + OF_DUE;

    private ResumptionSql() {}
}
