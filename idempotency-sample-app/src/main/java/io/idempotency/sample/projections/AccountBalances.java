package io.idempotency.sample.projections;

import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.accounts.AccountEvent;

/** The balances in the database, a row for each account and generation. */
@Repository
class AccountBalances {

    /** The state that the event tells, and not a change of it: only an older one could do harm. */
    private static final String KEEP_NEWEST = """
            insert into account_balance as stored (generation, account_id, version, balance_cents)
            values (:generation, :accountId, :version, :balanceCents)
            on conflict (generation, account_id) do update
            set version = excluded.version, balance_cents = excluded.balance_cents, applied_at = clock_timestamp()
            where stored.version < excluded.version""";

    private static final String FIND = """
            select account_id, version, balance_cents
            from account_balance
            where generation = (select serving from projection where name = :name) and account_id = :accountId""";

    private static final String PROGRESS = """
            select max(b.applied_at) as last_applied_at, coalesce(sum(e.version - coalesce(b.version, 0)), 0)::bigint as lag
            from (select account_id, max(version) as version from account_event group by account_id) as e
            left join account_balance as b on b.account_id = e.account_id and b.generation = :generation""";

    private static final String DELETE = "delete from account_balance where generation < :generation";

    private final JdbcClient jdbc;

    AccountBalances(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Each generation is a consumer of its own, with streams of its own. */
    @Transactional
    @IdempotentReceiver(
            consumer = "account-balance",
            messageId = "#generation + ':' + #event.eventId",
            stream = "#generation + ':' + #event.accountId",
            version = "#event.version")
    public void receive(int generation, AccountEvent event) {
        jdbc.sql(KEEP_NEWEST)
                .param("generation", generation)
                .param("accountId", event.accountId())
                .param("version", event.version())
                .param("balanceCents", event.balanceCents())
                .update();
    }

    Optional<AccountBalance> find(String accountId) {
        return jdbc.sql(FIND)
                .param("name", AccountBalanceProjection.NAME)
                .param("accountId", accountId)
                .query(AccountBalance.class)
                .optional();
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
}
