package io.idempotency.sample.charges;

import jakarta.validation.Valid;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.IdempotencyKey;
import io.idempotency.boot.web.IdempotencyKeyHeader;

/**
 * Takes charges over HTTP.
 *
 * @see <a href="https://docs.stripe.com/api/charges/create">Create a charge</a>
 */
@RestController
class ChargeController {

    private final ChargeService charges;

    ChargeController(ChargeService charges) {
        this.charges = charges;
    }

    @PostMapping(path = "/v1/charges", consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
    Charge create(@IdempotencyKeyHeader IdempotencyKey key, @Valid @ModelAttribute ChargeRequest request) {
        return charges.create(key, request);
    }
}
