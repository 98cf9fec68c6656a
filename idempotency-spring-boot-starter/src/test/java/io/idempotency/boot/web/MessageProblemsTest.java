package io.idempotency.boot.web;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.DeliveryOrder;
import io.idempotency.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Webhooks that are refused, as their sender sees it. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageProblemsTest {

    private final HttpApplication application;

    MessageProblemsTest(TestDatabase database) {
        application = HttpApplication.start(database, List.of(Webhooks.class));
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @Test
    void anotherMessageOfTheSameIdIs422() throws Exception {
        assertThat(deliver("conflict", 1, "first").status()).isEqualTo(200);
        assertThat(deliver("conflict", 1, "first").status()).isEqualTo(200);

        Answer refused = deliver("conflict", 1, "second");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text("$.type")).isEqualTo("urn:problem-type:idempotency:message-conflict");
        assertThat(refused.text("$.title")).isEqualTo("Another message has this id");
        assertThat(refused.body()).doesNotContain("onConflict", "first");
    }

    @Test
    void aMessageThatComesTooEarlyIs409() throws Exception {
        Answer refused = deliver("early", 2, "second");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text("$.type")).isEqualTo("urn:problem-type:idempotency:message-gap");
        assertThat(refused.text("$.title")).isEqualTo("An earlier message is missing");
        assertThat(deliver("early", 1, "first").status()).isEqualTo(200);
        assertThat(deliver("early", 2, "second").status()).isEqualTo(200);
    }

    private Answer deliver(String stream, int version, String body) throws Exception {
        return application
                .post("/webhooks")
                .json("{\"stream\":\"%s\",\"version\":%d,\"body\":\"%s\"}".formatted(stream, version, body))
                .send();
    }

    record Webhook(String stream, int version, String body) {

        public String id() {
            return stream + "-" + version;
        }
    }

    @RestController
    static class Webhooks {

        @PostMapping("/webhooks")
        @Transactional
        @IdempotentReceiver(
                consumer = "webhooks",
                messageId = "#webhook.id()",
                payload = "#webhook.body",
                stream = "#webhook.stream",
                version = "#webhook.version",
                order = DeliveryOrder.STRICT)
        public void receive(@RequestBody Webhook webhook) {}
    }
}
