package io.idempotency.sample.charges;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;
import io.idempotency.sample.SampleProof;

/** Over HTTP. What is not answered with 2xx is an exception to the client, and so called again. */
@SampleProof
class ChargesAreIdempotentTest implements IdempotencyProof {

    @IdempotencyScenario
    Charge charge(@LocalServerPort int port, Payload cents) {
        return RestClient.create("http://localhost:" + port)
                .post()
                .uri("/v1/charges")
                .header("Idempotency-Key", "key-1")
                .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                .body("source=alice&currency=eur&amount=" + cents.either("1250", "1251"))
                .retrieve()
                .requiredBody(Charge.class);
    }
}
