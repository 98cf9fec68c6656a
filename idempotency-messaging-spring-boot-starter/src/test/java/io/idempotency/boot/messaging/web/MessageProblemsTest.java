package io.idempotency.boot.messaging.web;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What the sender of a webhook is told of a message that is refused. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageProblemsTest {

    @AutoClose
    private final HttpApplication application;

    MessageProblemsTest(TestDatabase database) {
        application = HttpApplication.start(database, List.of(Webhooks.class, Deliveries.class));
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

    static Stream<Arguments> withoutValidValues() {
        return Stream.of(
                arguments("{}", "missing-key", "This request has no message id."),
                arguments("""
                        {"id": " "}""", "invalid-key", "The message id of this request is blank or malformed."),
                arguments("""
                        {"id": "m-3", "version": 1}""", "missing-key", "This request has no stream."),
                arguments("""
                        {"id": "m-3", "stream": "d"}""", "missing-key", "This request has no version."));
    }

    @ParameterizedTest
    @MethodSource("withoutValidValues")
    void aMessageWithoutAValidIdIs400AndItsSenderIsToldOfNoHeader(String json, String slug, String detail) {
        Answer refused = send(json);

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text("$.type")).endsWith(slug);
        assertThat(refused.text("$.detail")).startsWith(detail).doesNotContain("UUID", "webhooks");
    }

    @Test
    void aMessageWhoseIdAControllerReadsItselfIsToldTheSame() {
        assertThat(application.post("/deliveries").json("{}").send().text("$.detail"))
                .startsWith("This request has no message id.");
        assertThat(application.post("/deliveries").json("""
                {"id": ""}""").send().text("$.detail"))
                .startsWith("The message id of this request");
    }

    private Answer send(String json) {
        return application.post("/webhooks").json(json).send();
    }

    private static void requireProblem(Answer refused, int status, String slug, String title) {
        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.text("$.type")).endsWith(slug);
        assertThat(refused.text("$.title")).isEqualTo(title);
    }

    record Event(String id, String stream, Long version) {}

    @RestController
    static class Deliveries {

        private final Inbox inbox;

        Deliveries(Inbox inbox) {
            this.inbox = inbox;
        }

        @PostMapping("/deliveries")
        public void receive(@RequestBody Event event) {
            inbox.handleOnce("deliveries", event.id(), () -> {});
        }
    }

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
