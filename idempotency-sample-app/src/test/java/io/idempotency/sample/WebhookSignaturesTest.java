package io.idempotency.sample;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples that the providers publish, so that what the other tests sign is what the providers would. */
class WebhookSignaturesTest {

    @Test
    void githubsExampleOfItsDocumentation() {
        assertThat(WebhookSignatures.github("It's a Secret to Everybody", "Hello, World!"))
                .isEqualTo("sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
    }

    @Test
    void twiliosExampleOfItsDocumentation() {
        assertThat(
                        WebhookSignatures.twilio(
                                "12345",
                                "https://mycompany.com/myapp.php?foo=1&bar=2",
                                "Digits=1234&CallSid=CA1234567890ABCDE&To=%2B18005551212&Caller=%2B12349013030&From=%2B12349013030"))
                .isEqualTo("0/KCTR6DLpKmkAf8muzZqo1nDgQ=");
    }

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
