package io.idempotency.sample.projections;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.sample.accounts.AccountId;
import io.idempotency.sample.accounts.Accounts;

/** Shows projections, and lets them be built anew. */
@RestController
class ProjectionController {

    private final Accounts accounts;

    private final ProjectionService projections;

    private final AccountBalances balances;

    private final DailyTotals totals;

    ProjectionController(
            Accounts accounts, ProjectionService projections, AccountBalances balances, DailyTotals totals) {
        this.accounts = accounts;
        this.projections = projections;
        this.balances = balances;
        this.totals = totals;
    }

    @GetMapping("/projections")
    List<ProjectionStatus> findAll() {
        return projections.findAll();
    }

    /** Needs no key: whoever asks twice has it built twice, which leaves the same. */
    @PostMapping("/projections/{name}/rebuild")
    Rebuild rebuild(@PathVariable String name) {
        return projections.rebuild(name);
    }

    @GetMapping("/projections/account-balance/{accountId}")
    AccountBalance getBalance(@PathVariable @AccountId String accountId) {
        accounts.requireExists(accountId);
        return balances.find(accountId).orElse(new AccountBalance(accountId, 0, 0));
    }

    @GetMapping("/accounts/{accountId}/daily-totals")
    List<DayTotals> findTotals(@PathVariable @AccountId String accountId) {
        accounts.requireExists(accountId);
        return totals.find(accountId);
    }
}
