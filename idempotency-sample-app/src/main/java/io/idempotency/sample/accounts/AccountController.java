package io.idempotency.sample.accounts;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Shows balances. */
@RestController
class AccountController {

    private final Accounts accounts;

    AccountController(Accounts accounts) {
        this.accounts = accounts;
    }

    @GetMapping("/accounts/{accountId}")
    Account get(@PathVariable @AccountId String accountId) {
        return accounts.get(accountId);
    }
}
