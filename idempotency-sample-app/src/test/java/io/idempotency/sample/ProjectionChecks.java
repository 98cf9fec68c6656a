package io.idempotency.sample;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** Holds what projections show against the events that they are made of. */
final class ProjectionChecks {

    private static final String BALANCES = """
            select account_id, version, balance_cents
            from account_balance
            where generation = (select serving from projection where name = 'account-balance')
            order by 1""";

    private static final String BALANCES_OF_EVENTS = """
            select account_id, max(version) as version, sum(amount_cents)::bigint as balance_cents
            from account_event
            group by 1
            order by 1""";

    private static final String TOTALS = """
            select account_id, day, events, deposits, deposited_cents, withdrawals, withdrawn_cents, payments, paid_cents
            from daily_totals
            where generation = (select serving from projection where name = 'daily-totals')
            order by 1, 2""";

    private static final String TOTALS_OF_EVENTS = """
            select account_id, (occurred_at at time zone 'UTC')::date as day, count(*) as events,
                count(*) filter (where amount_cents >= 0) as deposits,
                coalesce(sum(amount_cents) filter (where amount_cents >= 0), 0)::bigint as deposited_cents,
                count(*) filter (where amount_cents < 0 and event_type <> 'paid') as withdrawals,
                -coalesce(sum(amount_cents) filter (where amount_cents < 0 and event_type <> 'paid'), 0)::bigint
                    as withdrawn_cents,
                count(*) filter (where event_type = 'paid') as payments,
                -coalesce(sum(amount_cents) filter (where event_type = 'paid'), 0)::bigint as paid_cents
            from account_event
            group by 1, 2
            order by 1, 2""";

    private ProjectionChecks() {}

    /** Once all messages have come. */
    static void requireExact(JdbcTemplate jdbc) {
        assertThat(jdbc.queryForList(BALANCES)).isEqualTo(jdbc.queryForList(BALANCES_OF_EVENTS));
        assertThat(jdbc.queryForList(TOTALS)).isEqualTo(jdbc.queryForList(TOTALS_OF_EVENTS));
    }
}
