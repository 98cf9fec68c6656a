package io.idempotency.sample.webhooks;

import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class WebhookPropertiesTest {

    @Test
    void secretsAreNotShown() {
        assertThat(new WebhookProperties("secret-1", "secret-2", "secret-3", "secret-4", null, DataSize.ofBytes(1)))
                .asString()
                .doesNotContain("secret-");
    }
}
