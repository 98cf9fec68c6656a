package io.idempotency.boot.messaging.web;

import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What the sender of a webhook is told of a message that is refused. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageProblemsTest {

    @AutoClose
    private final HttpApplication application;

    MessageProblemsTest(TestDatabase database) {
        application = HttpApplication.start(database, List.of(Webhooks.class));
    }

    @Test
    void anotherMessageWithTheSameIdIs422() {
        assertThat(send("""
                {"id": "m-1", "stream": "a", "version": 1}""").status()).isEqualTo(200);

        requireProblem(send("""
                {"id": "m-1", "stream": "b", "version": 1}"""), 422, "message-conflict", "Another message has this id");
    }

    @Test
    void aMessageThatComesTooEarlyIs409() {
        requireProblem(send("""
                {"id": "m-2", "stream": "c", "version": 2}"""), 409, "message-gap", "An earlier message is missing");
    }

    private Answer send(String json) {
        return application.post("/webhooks").json(json).send();
    }

    private static void requireProblem(Answer refused, int status, String slug, String title) {
        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.text("$.type")).endsWith(slug);
        assertThat(refused.text("$.title")).isEqualTo(title);
    }

    record Event(String id, String stream, long version) {}

    @RestController
    static class Webhooks {

        @PostMapping("/webhooks")
        @Transactional
        @IdempotentReceiver(
                consumer = "webhooks",
                messageId = "#event.id",
                payload = "#event",
                stream = "#event.stream",
                version = "#event.version",
                order = DeliveryOrder.STRICT)
        public void receive(@RequestBody Event event) {}
    }
}
