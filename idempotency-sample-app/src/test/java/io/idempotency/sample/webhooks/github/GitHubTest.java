package io.idempotency.sample.webhooks.github;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;

import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookRequest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class GitHubTest {

    private static final String SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    private final GitHub github = new GitHub(
            new WebhookProperties("-", "It's a Secret to Everybody", "-", "-", null, DataSize.ofKilobytes(1)), null);

    @Test
    void exampleOfGitHubsDocumentationIsAcceptedAndNoOtherBody() {
        assertThatCode(() -> github.verify(request("Hello, World!"))).doesNotThrowAnyException();
        assertThatExceptionOfType(InvalidSignatureException.class)
                .isThrownBy(() -> github.verify(request("Hello, World?")));
    }

    private static WebhookRequest request(String body) {
        HttpHeaders headers = new HttpHeaders();
        headers.set("X-Hub-Signature-256", SIGNATURE);
        return new WebhookRequest("https://shop.example/webhooks/github", headers, body.getBytes(UTF_8));
    }
}
