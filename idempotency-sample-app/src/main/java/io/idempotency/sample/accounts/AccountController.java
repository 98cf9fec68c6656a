package io.idempotency.sample.accounts;

import java.net.URI;
import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.PositiveOrZero;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

import io.idempotency.IdempotencyKey;
import io.idempotency.boot.web.IdempotencyKeyHeader;

/** Takes commands over HTTP, and shows what they have made happen. */
@RestController
@RequestMapping("/accounts")
class AccountController {

    private final AccountService accounts;

    AccountController(AccountService accounts) {
        this.accounts = accounts;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<AccountEvent> open(
            @IdempotencyKeyHeader IdempotencyKey key, @Valid @RequestBody OpeningRequest request) {
        return created(accounts.open(key, request));
    }

    @PostMapping("/{accountId}/deposits")
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<AccountEvent> deposit(
            @IdempotencyKeyHeader IdempotencyKey key,
            @PathVariable @AccountId String accountId,
            @Valid @RequestBody AmountRequest request) {
        return created(accounts.deposit(key, accountId, request));
    }

    @PostMapping("/{accountId}/withdrawals")
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<AccountEvent> withdraw(
            @IdempotencyKeyHeader IdempotencyKey key,
            @PathVariable @AccountId String accountId,
            @Valid @RequestBody AmountRequest request) {
        return created(accounts.withdraw(key, accountId, request));
    }

    @GetMapping("/{accountId}")
    Account get(@PathVariable @AccountId String accountId) {
        return accounts.get(accountId);
    }

    @GetMapping("/{accountId}/events/{version}")
    AccountEvent getEvent(@PathVariable @AccountId String accountId, @PathVariable long version) {
        return accounts.getEvent(accountId, version);
    }

    /** The oldest hundred of those that are newer. */
    @GetMapping("/{accountId}/events")
    List<AccountEvent> findEvents(
            @PathVariable @AccountId String accountId, @RequestParam(defaultValue = "0") @PositiveOrZero long after) {
        return accounts.findEventsAfter(accountId, after);
    }

    private static ResponseEntity<AccountEvent> created(AccountEvent event) {
        URI location = UriComponentsBuilder.fromPath("/accounts/{accountId}/events/{version}")
                .build(event.accountId(), event.version());
        return ResponseEntity.created(location).body(event);
    }
}
