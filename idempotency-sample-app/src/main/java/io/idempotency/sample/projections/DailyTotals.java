package io.idempotency.sample.projections;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.accounts.AccountEventType;

/** The totals in the database, a row for each account, day and generation. */
@Repository
class DailyTotals {

    /** Adds up, so it would count an event twice that comes twice: its callers receive through the inbox. */
    private static final String ADD = """
            insert into daily_totals as stored (generation, account_id, day, events, deposits, deposited_cents,
                withdrawals, withdrawn_cents, payments, paid_cents)
            values (:generation, :accountId, :day, 1, :deposits, :deposits * :cents, :withdrawals, :withdrawals * :cents,
                :payments, :payments * :cents)
            on conflict (generation, account_id, day) do update
            set events = stored.events + 1,
                deposits = stored.deposits + excluded.deposits,
                deposited_cents = stored.deposited_cents + excluded.deposited_cents,
                withdrawals = stored.withdrawals + excluded.withdrawals,
                withdrawn_cents = stored.withdrawn_cents + excluded.withdrawn_cents,
                payments = stored.payments + excluded.payments,
                paid_cents = stored.paid_cents + excluded.paid_cents,
                applied_at = clock_timestamp()""";

    private static final String FIND = """
            select day, deposits, deposited_cents, withdrawals, withdrawn_cents, payments, paid_cents
            from daily_totals
            where generation = (select serving from projection where name = :name) and account_id = :accountId
            order by day""";

    private static final String PROGRESS = """
            select max(applied_at) as last_applied_at,
                (select count(*) from account_event) - coalesce(sum(events), 0)::bigint as lag
            from daily_totals
            where generation = :generation""";

    private static final String DELETE = "delete from daily_totals where generation < :generation";

    /** So that those who add to several rows lock them in one order. */
    private static final Comparator<AccountEvent> ROWS =
            Comparator.comparing(AccountEvent::accountId).thenComparing(DailyTotals::day);

    private final JdbcClient jdbc;

    private final NamedParameterJdbcTemplate batches;

    DailyTotals(JdbcClient jdbc, NamedParameterJdbcTemplate batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    void add(int generation, List<AccountEvent> events) {
        batches.batchUpdate(
                ADD,
                events.stream()
                        .sorted(ROWS)
                        .map(event -> parameters(generation, event))
                        .toArray(SqlParameterSource[]::new));
    }

    List<DayTotals> find(String accountId) {
        return jdbc.sql(FIND)
                .param("name", DailyTotalsProjection.NAME)
                .param("accountId", accountId)
                .query(DayTotals.class)
                .list();
    }

    Progress progress(int generation) {
        return jdbc.sql(PROGRESS)
                .param("generation", generation)
                .query(Progress.class)
                .single();
    }

    void deleteBefore(int generation) {
        jdbc.sql(DELETE).param("generation", generation).update();
    }

    private static SqlParameterSource parameters(int generation, AccountEvent event) {
        boolean isPayment = event.type() == AccountEventType.PAID;
        boolean isDeposit = event.changeCents() >= 0;
        return new MapSqlParameterSource("generation", generation)
                .addValue("accountId", event.accountId())
                .addValue("day", day(event))
                .addValue("deposits", isDeposit ? 1L : 0L)
                .addValue("withdrawals", isDeposit || isPayment ? 0L : 1L)
                .addValue("payments", isPayment ? 1L : 0L)
                .addValue("cents", event.amountCents());
    }

    private static LocalDate day(AccountEvent event) {
        return LocalDate.ofInstant(event.occurredAt(), ZoneOffset.UTC);
    }
}
