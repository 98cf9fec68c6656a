package io.idempotency.sample.activity;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.sample.accounts.AccountId;
import io.idempotency.sample.accounts.Accounts;

/** Shows totals. */
@RestController
class ActivityController {

    private final Accounts accounts;

    private final Activities activities;

    ActivityController(Accounts accounts, Activities activities) {
        this.accounts = accounts;
        this.activities = activities;
    }

    @GetMapping("/accounts/{accountId}/activity")
    AccountActivity get(@PathVariable @AccountId String accountId) {
        accounts.requireExists(accountId);
        return activities.get(accountId);
    }
}
