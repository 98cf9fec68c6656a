package io.idempotency.sample.payments;

import java.net.URI;
import java.util.List;
import java.util.UUID;

import jakarta.validation.Valid;
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

import io.idempotency.IdempotencyKey;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.sample.accounts.AccountId;

/** Takes payments over HTTP. */
@RestController
@RequestMapping("/payments")
class PaymentController {

    private final PaymentService payments;

    PaymentController(PaymentService payments) {
        this.payments = payments;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<Payment> pay(@IdempotencyKeyHeader IdempotencyKey key, @Valid @RequestBody PaymentRequest request) {
        Payment payment = payments.pay(key, request);
        return ResponseEntity.created(URI.create("/payments/" + payment.paymentId()))
                .body(payment);
    }

    @GetMapping("/{paymentId}")
    Payment get(@PathVariable UUID paymentId) {
        return payments.get(paymentId);
    }

    /** The newest hundred. */
    @GetMapping
    List<Payment> findNewest(@RequestParam @AccountId String accountId) {
        return payments.findNewest(accountId);
    }
}
