package io.idempotency.internal.postgres.inbox;

import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The statements of the tables {@code processed_message}, {@code message_failure} and {@code stream_position}. */
final class InboxSql {

    private static final String INSERT = """
            insert into {schema}.processed_message (
                consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at)
            values (?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp() + cast(? as float8) * interval '1 millisecond')
            on conflict do nothing
            returning processed_at""";

    /**
     * Deletes the failures of the message together with its success: after a rollback they exist again. Two statements, because
     * a statement that has waited for another delivery does not see how that one failed.
     */
    static final String RECEIVE = WaitBound.aroundClaim(INSERT + """
            ;
            delete from {schema}.message_failure
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)
            returning attempt_count""");

    /**
     * Finds a failure that the snapshot of the transaction does not show and that would stay behind: an insert collides with it
     * all the same, and the transaction is tried again with a new snapshot.
     */
    static final String COLLIDE_WITH_UNSEEN_FAILURE = """
            insert into {schema}.message_failure (
                consumer, message_id, attempt_count, failure_code, failure_message,
                first_failed_at, last_failed_at, expires_at)
            select ?, message.id, 1, '', '', statement_timestamp(), statement_timestamp(), '-infinity'
            from pg_catalog.unnest(?::text[]) as message (id)
            on conflict do nothing;
            delete from {schema}.message_failure
            where consumer operator(pg_catalog.=) ? and message_id operator(pg_catalog.=) any (?::text[]) and expires_at = '-infinity'""";

    static final String FIND_PAYLOAD = """
            select payload_hash, hash_version
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    /** The claim before this query has waited until the earlier transaction had ended, so the status of that is final. */
    static final String FIND_CLAIM = """
            select processed_at,
                   coalesce(pg_catalog.pg_xact_status(cast(cast(? as text) as pg_catalog.xid8)), 'committed')
                       operator(pg_catalog.=) 'committed' as is_committed
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    static final String ADVANCE = WaitBound.aroundClaim("""
            insert into {schema}.stream_position as position (consumer, stream_id, last_version, updated_at)
            values (?, ?, ?, clock_timestamp())
            on conflict (consumer, stream_id) do update
            set last_version = excluded.last_version, updated_at = excluded.updated_at
            where position.last_version < excluded.last_version
            returning last_version""");

    /** A stream without a position must begin with its first version. */
    static final String ADVANCE_BY_ONE = WaitBound.aroundClaim("""
            insert into {schema}.stream_position as position (consumer, stream_id, last_version, updated_at)
            select new.consumer, new.stream_id, new.version, clock_timestamp()
            from (values (?, ?, ?::bigint, ?::bigint)) as new (consumer, stream_id, version, first_version)
            where new.version = new.first_version
               or exists (
                   select 1
                   from {schema}.stream_position as known
                   where (known.consumer, known.stream_id) operator(pg_catalog.=) (new.consumer, new.stream_id))
            on conflict (consumer, stream_id) do update
            set last_version = excluded.last_version, updated_at = excluded.updated_at
            where case when position.last_version < excluded.last_version
                       then position.last_version = excluded.last_version - 1 end
            returning last_version""");

    static final String FIND_POSITION = """
            select last_version
            from {schema}.stream_position
            where (consumer, stream_id) operator(pg_catalog.=) (?, ?)""";

    /**
     * On a partitioned table each insert would spend most of its time on a query for earlier messages of its own. The setting
     * tells the trigger that the function does so for all messages at once.
     */
    static final String RECEIVE_NEW = WaitBound.around("idempotency.looked", """
            select repeat.id
            from {schema}.processed_message_store(?::text, ?::text[], cast(? as float8) * interval '1 millisecond') as repeat (id);
            delete from {schema}.message_failure
            where consumer operator(pg_catalog.=) ? and message_id operator(pg_catalog.=) any (?::text[])""");

    /** Waits for another delivery that is handling the message: if it succeeds, there is nothing to record. */
    static final String HOLD_WHILE_RECORDING = WaitBound.BRIEFLY + INSERT;

    static final String RECORD_FAILURE = """
            insert into {schema}.message_failure as failure (
                consumer, message_id, message_type, attempt_count, failure_code, failure_message,
                first_failed_at, last_failed_at, expires_at)
            select ?, ?, ?, 1, ?, ?, t.now, t.now, t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (consumer, message_id) do update
            set attempt_count = failure.attempt_count + 1,
                message_type = excluded.message_type,
                failure_code = excluded.failure_code,
                failure_message = excluded.failure_message,
                last_failed_at = excluded.last_failed_at,
                expires_at = excluded.expires_at;
            delete from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    static final String FIND_FAILING = """
            select consumer, message_id, message_type, attempt_count, failure_code, failure_message, first_failed_at,
                   last_failed_at
            from {schema}.message_failure
            order by attempt_count desc, last_failed_at desc
            limit ?""";

    static final String FIND_HANDLED = """
            select consumer, message_id, message_type, processed_at, expires_at
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    private InboxSql() {}
}
