package io.idempotency.sample.payouts;

import java.net.URI;
import java.util.UUID;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

import io.idempotency.IdempotencyKey;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.sample.accounts.AccountId;

/** Takes payouts over HTTP. */
@RestController
@RequestMapping("/accounts/{accountId}/payouts")
class PayoutController {

    private final PayoutService service;

    private final Payouts payouts;

    PayoutController(PayoutService service, Payouts payouts) {
        this.service = service;
        this.payouts = payouts;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<Payout> pay(
            @IdempotencyKeyHeader IdempotencyKey key,
            @PathVariable @AccountId String accountId,
            @Valid @RequestBody PayoutRequest request) {
        Payout payout = service.pay(key, accountId, request);
        URI location = UriComponentsBuilder.fromPath("/accounts/{accountId}/payouts/{payoutId}")
                .encode()
                .build(accountId, payout.payoutId());
        return ResponseEntity.created(location).body(payout);
    }

    @GetMapping("/{payoutId}")
    Payout get(@PathVariable @AccountId String accountId, @PathVariable UUID payoutId) {
        return payouts.find(payoutId)
                .filter(payout -> payout.accountId().equals(accountId))
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }
}
