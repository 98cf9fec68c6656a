package io.idempotency.internal.postgres.request;

import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The statements of the table {@code idempotency_request}. */
public final class RequestSql {

    private static final String FROM_NOW = RequestColumns.FROM_NOW;

    /** Names the caller too, so that Citus finds the shard, whichever of the two the table is distributed by. */
    private static final String BY_ID = "where request_id = ? and caller operator(pg_catalog.=) ?";

    /** Takes no row lock: a lock writes, and a replay writes nothing. A time that was written by hand may be infinite. */
    static final String FIND = """
            select idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                   response_body, attempt_count, failure_code, failure_message, claim_token,
                   steps is not null as has_steps,
                   (extract(epoch from case when locked_until is not null then
                       least(greatest(locked_until, 'epoch'), '9999-01-01') end - statement_timestamp()) * 1000.0)::bigint
                       as lease_remaining
            from {schema}.idempotency_request
            """ + BY_ID;

    /** Bounded, because it is the first statement that may wait for a lock of the table. */
    static final String FIND_COMMITTED = WaitBound.ofOneTransaction(FIND);

    static final String FIND_ALONE = MultiStatement.transaction(FIND_COMMITTED);

    static final String FIND_SETTLED = WaitBound.BRIEFLY + FIND + " for update";

    /**
     * Replaces or clears what the last attempt has left in the row. Its number, its steps and the time of the first one remain. The
     * number fences: of all callers that have found the same row one wins, and the others read again.
     */
    static final String RECLAIM = """
            update {schema}.idempotency_request
            set {columns}, attempt_count = attempt_count + 1
            """ + BY_ID + """
                 and attempt_count = ?
                and (status = 'failed_retryable' or (status = 'processing' and locked_until <= statement_timestamp()))""";

    private static final String HELD = "\n" + BY_ID + " and status = 'processing'";

    /** The fence of a claim without a lease is its transaction, which nobody else can be in. */
    private static final String HELD_BY_TRANSACTION = HELD + " and attempt_count = ? and claim_token is null";

    /** A call that is given up has the token of its last attempt, but no lease. */
    private static final String HELD_BY_LEASE =
            HELD + " and attempt_count = ? and claim_token = ? and locked_until is not null";

    /** The retention of a leased call counts from its end, however long the lease was. The index of leases changes anyway. */
    private static final String RETENTION_FROM_NOW =
            ",\n    expires_at = " + later("statement_timestamp()", "expires_at - claimed_at");

    /**
     * The other columns need no clearing: they are null in a new row, and a reclaim clears them. Nobody else writes a row in
     * processing that has no token.
     */
    static final String COMPLETE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, updated_at = statement_timestamp()""" + HELD_BY_TRANSACTION;

    static final String COMPLETE_WITH_REFERENCE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?, updated_at = statement_timestamp()""" + HELD_BY_TRANSACTION;

    /** The wait is bounded, because another instance may stand still in its reclaim, or hold a lock on the row. */
    static final String COMPLETE_LEASE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?,
                locked_until = null, updated_at = statement_timestamp(),
                response_expires_at =\s""" + later("statement_timestamp()", "response_expires_at - claimed_at")
            + RETENTION_FROM_NOW + HELD_BY_LEASE;

    /**
     * The lease of a call that is to be resumed, or that is half done, ends now: see
     * {@link io.idempotency.internal.claim.StoredRequest}. Of another one it is over. So the index of leases has what is half done, and
     * no step changes it. The time is outside of the CASE, in which Citus refuses it.
     */
    static final String FAIL = """
            update {schema}.idempotency_request
            set status = ?, failure_code = ?, failure_message = ?,
                response_expires_at = null, updated_at = statement_timestamp(),
                locked_until =\s""" + later("statement_timestamp()", """
                    case when steps is not null then cast(? as float8) else cast(? as float8) end
                    * interval '1 millisecond'""") + RETENTION_FROM_NOW + HELD_BY_LEASE;

    /** The row is kept for as much longer. */
    private static final String LEASE_EXTENDED = """
            locked_until = greatest(locked_until, {from_now}), updated_at = statement_timestamp(),
                expires_at = {expires_later}, response_expires_at = {response_expires_later}""".replace(
                    "{expires_later}", later("expires_at", "greatest({from_now} - locked_until, interval '0')"))
            .replace(
                    "{response_expires_later}",
                    later("response_expires_at", "greatest({from_now} - locked_until, interval '0')"));

    /** A claim extends a lease too, and reads its steps afterwards. */
    static final String EXTEND_LEASE = WaitBound.around("update {schema}.idempotency_request\nset "
            + LEASE_EXTENDED.replace("{from_now}", FROM_NOW) + HELD_BY_LEASE);

    private static final String IS_PROCESSING_WITH_LEASE = "status = 'processing' and locked_until is not null";

    /**
     * Renews leases without waiting for rows that others have locked, and tells apart which of the others are lost. Together with its
     * COMMIT, so that no instance that stands still keeps the rows locked.
     */
    public static final String RENEW_LEASES =
            MultiStatement.transaction(WaitBound.ofOneTransaction("""
            with due as (
                select *
                from unnest(?::uuid[], ?::text[], ?::integer[], ?::uuid[], ?::bigint[])
                    with ordinality as due (id, caller, attempt, token, milliseconds, position)),
            unlocked as (
                select stored.request_id
                from {schema}.idempotency_request as stored
                join due on {is_due}
                where {is_leased}
                for update of stored skip locked),
            renewed as (
                update {schema}.idempotency_request as stored
                set {extended}
                from due
                where {is_due} and stored.request_id in (select request_id from unlocked)
                returning due.position)
            select exists (select from renewed where renewed.position = due.position) as is_renewed,
                exists (select from {schema}.idempotency_request as stored where {is_due}) as is_claimed
            from due
            order by due.position""".replace("{is_leased}", IS_PROCESSING_WITH_LEASE)
                    .replace(
                            "{is_due}",
                            "stored.request_id = due.id and stored.caller operator(pg_catalog.=) due.caller\n"
                                    + "            and stored.attempt_count = due.attempt and stored.claim_token = due.token")
                    .replace("{extended}", LEASE_EXTENDED)
                    .replace(
                            "{from_now}",
                            "statement_timestamp() + cast(due.milliseconds as float8) * interval '1 millisecond'")));

    private static final String CLAIMED = BY_ID + " and attempt_count = ? and claim_token = ?";

    /** The same for one lease, because Citus locks no rows of a query over several shards. */
    public static final String RENEW_LEASE_OF_SHARD =
            MultiStatement.transaction(WaitBound.ofOneTransaction("""
            with unlocked as (
                select request_id
                from {schema}.idempotency_request
                {claimed} and {is_leased}
                for update skip locked)
            update {schema}.idempotency_request
            set {extended}
            {claimed} and request_id in (select request_id from unlocked);
            select from {schema}.idempotency_request
            {claimed}""".replace("{is_leased}", IS_PROCESSING_WITH_LEASE)
                    .replace("{claimed}", CLAIMED)
                    .replace("{extended}", LEASE_EXTENDED)
                    .replace("{from_now}", FROM_NOW)));

    /**
     * Records no name twice, because a try whose COMMIT was not answered may have done it. The number of the attempt is a parameter,
     * because Citus refuses a column in a function that is not immutable.
     */
    static final String RECORD_STEP = WaitBound.around("""
            update {schema}.idempotency_request
            set steps = coalesce(steps, '[]') operator(pg_catalog.||) pg_catalog.jsonb_build_array(
                    pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
                        'name', cast(? as text), 'attempt', cast(? as integer), 'recorded_at', statement_timestamp(),
                        'response', cast(? as text), 'failure_code', cast(? as text), 'failure_message', cast(? as text)))),
                updated_at = statement_timestamp()""" + HELD_BY_LEASE + """

                and not coalesce(steps, '[]') operator(pg_catalog.@>)
                    pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', cast(? as text)))""");

    private static final String STEPS = """
            select step.name, step.attempt, step.recorded_at, step.response, step.failure_code, step.failure_message
            from {schema}.idempotency_request,
                pg_catalog.jsonb_to_recordset(steps) as step (
                    name text, attempt integer, recorded_at timestamptz, response text, failure_code text,
                    failure_message text)
            """;

    static final String FIND_STEPS = STEPS + BY_ID;

    /** Lets a call that was given up be claimed again, whose message an operator has requeued. */
    static final String REVIVE = WaitBound.BRIEFLY + """
            update {schema}.idempotency_request
            set status = 'failed_retryable', updated_at = statement_timestamp()
            """ + BY_ID
            + " and status = 'processing' and attempt_count = ? and claim_token = ? and locked_until is null";

    /** Follows the insert of a failure. */
    static final String UNLESS_ANSWERED = """

            on conflict on constraint idempotency_request_pkey do update
            set {columns}, attempt_count = excluded.attempt_count, locked_until = null
            where stored.status = 'failed_retryable' and stored.attempt_count < excluded.attempt_count""";

    /** A request without a lease is committed as processing only if its method committed by itself, or it is given up. */
    private static final String IS_STALE =
            "(status = 'processing' and (locked_until is null or locked_until <= statement_timestamp()))\n";

    private static final String DESCRIBE =
            "select " + RequestColumns.DESCRIBED.formatted(IS_STALE) + "\nfrom {schema}.idempotency_request\n";

    static final String DESCRIBE_ONE = DESCRIBE + BY_ID;

    static final String SEARCH = DESCRIBE + """
            where (cast(? as text) is null or idempotency_scope operator(pg_catalog.=) ?)
                and (cast(? as text) is null or caller operator(pg_catalog.=) ?)
                and (cast(? as text) is null or idempotency_key operator(pg_catalog.=) ?)
                and (cast(? as text) is null or status = cast(? as text))
            order by claimed_at desc
            limit ?""";

    /** Uses the index of leases, which a volatile time could not use. */
    static final String FIND_STALE_LEASES = DESCRIBE + """
            where locked_until <= statement_timestamp() and status = 'processing'
            order by locked_until
            limit ?""";

    private static final String IS_HALF_DONE = "status = 'failed_retryable' and steps is not null";

    static final String FIND_HALF_DONE = DESCRIBE + """
            where locked_until <= statement_timestamp() and\s""" + IS_HALF_DONE + """

            order by locked_until
            limit ?""";

    static final String FIND_ABANDONED = DESCRIBE + """
            where status = 'processing' and locked_until is null
            order by claimed_at
            limit ?""";

    static final String FIND_WITH_ATTEMPTS = DESCRIBE + """
            where attempt_count >= ?
            order by attempt_count desc, claimed_at desc
            limit ?""";

    /** A row of another intent that shares the request id must not be returned or changed. */
    private static final String IS_OF_INTENT =
            "request_id = ? and (idempotency_scope, caller, idempotency_key) operator(pg_catalog.=) (?, ?, ?)\n";

    private static final String OF_INTENT = "where " + IS_OF_INTENT;

    static final String FIND_RESPONSE = """
            select response_body
            from {schema}.idempotency_request
            """ + OF_INTENT + "    and response_body is not null";

    /** Clears the token, so that the holder learns that the request is not its own any more. */
    static final String RELEASE_STALE = """
            update {schema}.idempotency_request
            set status = 'failed_retryable', failure_code = 'released', failure_message = left(cast(? as text), 1000),
                claim_token = null, response_expires_at = null, updated_at = statement_timestamp(),
                locked_until = case when steps is not null then coalesce(locked_until, updated_at) end
            """ + OF_INTENT + "    and " + IS_STALE;

    /** Clears the token, so that the holder cannot take the operator's completion for its own. */
    static final String COMPLETE_STALE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = cast(? as json), claim_token = null, locked_until = null,
                updated_at = statement_timestamp(),
                response_expires_at =\s""" + later("statement_timestamp()", "response_expires_at - claimed_at")
            + RETENTION_FROM_NOW + "\n" + OF_INTENT + "    and " + IS_STALE;

    /** Follows the release of a request whose message was requeued, and which has the message's new token. */
    static final String RESUME_RELEASED = """
            update {schema}.idempotency_request
            set claim_token = ?, locked_until = statement_timestamp()
            """ + OF_INTENT;

    static final String FIND_STEPS_OF_INTENT = STEPS + OF_INTENT;

    /** Clears the token, so that a holder whose lease has expired records nothing more. */
    static final String RETRY_FROM_STEP =
            """
            update {schema}.idempotency_request
            set steps = (
                    select pg_catalog.jsonb_agg(kept.value order by kept.position)
                    from pg_catalog.jsonb_array_elements(steps) with ordinality as kept (value, position)
                    where kept.position < (
                        select min(position)
                        from pg_catalog.jsonb_array_elements(steps) with ordinality as step (value, position)
                        where step.value operator(pg_catalog.->>) 'name' operator(pg_catalog.=) ?)),
                status = 'failed_retryable', failure_code = 'retried', failure_message = left(cast(? as text), 1000),
                claim_token = null, response_expires_at = null, updated_at = statement_timestamp(),
                locked_until = case
                    when pg_catalog.jsonb_extract_path_text(steps, '0', 'name') operator(pg_catalog.<>) ?
                    then coalesce(locked_until, updated_at) end
            where steps operator(pg_catalog.@>)
                    pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', cast(? as text)))
                and\s""" + IS_OF_INTENT + "    and (status in ('failed_retryable', 'failed_final') or " + IS_STALE + ")";

    static final String FORGET = "delete from {schema}.idempotency_request\n" + OF_INTENT
            + "    and (status <> 'processing' or " + IS_STALE + ")";

    /**
     * Only requests that have succeeded: a lease whose response would be due has none yet. A request that has expired itself is
     * deleted with its response.
     */
    private static final String RESPONSE_EXPIRED = """
            where response_expires_at >= ? and response_expires_at < statement_timestamp()
                and status = 'succeeded' and expires_at >= statement_timestamp()
            order by response_expires_at
            """;

    /** Clears the time as well: the row leaves the index then, which the next run would read from its beginning. */
    public static final String CLEAR_EXPIRED_RESPONSES = """
            with expired as (
                select ctid, response_expires_at
                from {schema}.idempotency_request
            """ + RESPONSE_EXPIRED + """
                limit ?
                for update skip locked),
            cleared as (
                update {schema}.idempotency_request
                set response_body = null, steps = null, response_expires_at = null
                where ctid = any (array(select ctid from expired)) and response_expires_at < statement_timestamp()
                returning 1)
            select (select count(*) from cleared) as batch_rows, max(response_expires_at) as last_expired,
                   null::text[] as half_done
            from expired""";

    /** The same for the shards of Citus, where the rows of a query are not locked and a ctid is not unique. */
    public static final String CLEAR_EXPIRED_RESPONSES_OF_SHARDS = CLEAR_EXPIRED_RESPONSES
            .replace("ctid = any (array(select ctid from expired))", "request_id in (select request_id from expired)")
            .replace("ctid", "request_id")
            .replace("\n    for update skip locked", "");

    /** When the response expired that is to be cleared next. */
    public static final String FIND_OLDEST_EXPIRED_RESPONSE =
            "select greatest(response_expires_at, timestamptz 'epoch')\nfrom {schema}.idempotency_request\n"
                    + RESPONSE_EXPIRED.replace("response_expires_at >= ? and ", "") + "limit 1";

    /** The columns of an expired row that {@link #FIND_HALF_DONE_OF_EXPIRED} needs. */
    public static final String NEEDED_OF_EXPIRED = "expires_at, request_id, idempotency_scope, status, steps";

    /** Scope and id of the calls that are purged after recorded steps, without an end. */
    public static final String FIND_HALF_DONE_OF_EXPIRED = """
            pg_catalog.array_agg(cast(idempotency_scope as text) operator(pg_catalog.||) ' ' operator(pg_catalog.||)
                cast(request_id as text)) filter (
                    where steps is not null and (status = 'processing' or status = 'failed_retryable'))""";

    /** Uses the index of leases, and reads no more of its rows than the limit. */
    public static final String COUNT_UNFINISHED = """
            select count(*) filter (where status = 'processing') as stale_leases,
                   count(*) filter (where\s""" + IS_HALF_DONE + """
            ) as half_done
            from (
                select status, steps
                from {schema}.idempotency_request
                where locked_until <= statement_timestamp()
                limit ?) as unfinished""";

    /**
     * Follows a statement in "with written as (": stores the row that it returns as the response, and fails unless it is one row of
     * at most so many bytes.
     */
    static final String STORE_WRITTEN = "\n), counted as (select "
            + required("case when (select count(*) from written) operator(pg_catalog.<>) 1 then 0 when "
                    + "(select pg_catalog.octet_length(cast(pg_catalog.to_json(written.*) as text)) from written)"
                    + " operator(pg_catalog.<=) cast(? as bigint) then 1 else 0 end")
            + """
             as required)
            update {schema}.idempotency_request
            set response_body = (select pg_catalog.to_json(written.*) from written)
            from counted
            """ + BY_ID
            + " and counted.required > 0\nreturning response_body";

    private RequestSql() {}

    /** Fails if the statement changes another number of rows than the one that is its last parameter. */
    static String expectingRows(String statement) {
        return expectingRows(statement, "cast(? as bigint)");
    }

    /** Fails unless the statement changes one row, so that PostgreSQL skips what follows it in the same message. */
    static String changingOne(String statement) {
        return expectingRows(statement, "1");
    }

    private static String expectingRows(String statement, String rows) {
        return "with changed as (" + statement + "\nreturning 1)\nselect "
                + required("case when (select pg_catalog.count(*) from changed) operator(pg_catalog.=) " + rows
                        + " then 1 else 0 end");
    }

    static String rowAsJson(String statement) {
        return "with written as (" + statement + "\n)\nselect pg_catalog.to_json(written.*) from written";
    }

    /** Fails if a number is not 1. PostgreSQL must not know the number when it plans the statement. */
    private static String required(String one) {
        return "pg_catalog.width_bucket(0::float8, 0::float8, 1::float8, " + one + ")";
    }

    /** In UTC, because Citus refuses the sum of a time with a zone and a column, whose days follow the session's zone. */
    private static String later(String time, String interval) {
        return "(" + time + " at time zone 'UTC' + (" + interval + ")) at time zone 'UTC'";
    }
}
