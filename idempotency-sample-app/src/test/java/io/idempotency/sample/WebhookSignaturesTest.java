package io.idempotency.sample;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples that the providers publish, so that what the other tests sign is what the providers would. */
class WebhookSignaturesTest {

    @Test
    void exampleOfTheLibrariesOfStandardWebhooks() {
        assertThat(WebhookSignatures.standard(
                        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                        "msg_p5jXN8AQM9LWM0D4loKWxJek",
                        "1614265330",
                        "{\"test\": 2432232314}"))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
