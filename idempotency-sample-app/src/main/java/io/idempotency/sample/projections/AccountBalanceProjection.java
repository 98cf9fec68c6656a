package io.idempotency.sample.projections;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.stereotype.Component;

import io.idempotency.sample.accounts.AccountEvent;

/** The newest balance of each account. */
@Component
class AccountBalanceProjection implements Projection {

    static final String NAME = "account-balance";

    private final AccountBalances balances;

    AccountBalanceProjection(AccountBalances balances) {
        this.balances = balances;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void deliver(int generation, AccountEvent event) {
        balances.receive(generation, event);
    }

    /** Of each account only the newest: its receiver goes forward only, and does not mind gaps. */
    @Override
    public void replay(int generation, List<AccountEvent> events) {
        Map<String, AccountEvent> newest = new LinkedHashMap<>();
        events.forEach(event -> newest.put(event.accountId(), event));
        newest.values().forEach(event -> balances.receive(generation, event));
    }

    @Override
    public Progress progress(int generation) {
        return balances.progress(generation);
    }

    @Override
    public void deleteBefore(int generation) {
        balances.deleteBefore(generation);
    }
}
