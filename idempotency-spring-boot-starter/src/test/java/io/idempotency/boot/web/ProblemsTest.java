package io.idempotency.boot.web;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;

import io.idempotency.FailureTranslator;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.HttpCall;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Refusals as a client sees them. {@link IdempotencyProblemsTest} has all of them. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProblemsTest {

    private static final String NOTHING = "{\"item\":\"nothing\",\"quantity\":1}";

    @AutoClose
    private final HttpApplication application;

    ProblemsTest(TestDatabase database) {
        Orders.createTable(database);
        application = HttpApplication.start(
                database,
                List.of(Orders.class, Additions.class),
                "idempotency.http.failure-status[out_of_stock]=402",
                "logging.level.io.idempotency.boot.web=off");
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
    }

    @Test
    void anInvalidKeyIs400AndTheDetailSaysWhatIsWrong() throws Exception {
        Answer refused = order("\"not closed").send();

        requireProblem(refused, 400, "invalid-key", "Idempotency-Key is not valid");
        assertThat(refused.text("$.detail")).isEqualTo("The header Idempotency-Key has no closing double quote.");
        assertThat(order("x".repeat(256)).send().text("$.detail")).contains("256 characters");
    }

    @Test
    void aRecordedFailureHasTheStatusOfItsCodeWhereTheApplicationSaysSo() throws Exception {
        HttpCall failing = application.post("/orders").key("key").json(NOTHING);
        assertThat(failing.send().status()).isEqualTo(409);

        Answer replay = failing.send();

        requireProblem(replay, 402, "recorded-failure", "The request has failed before");
        assertThat(replay.text("$.code")).isEqualTo("out_of_stock");
    }

    @Test
    void withoutADocumentationUrlThereIsNoLink() throws Exception {
        assertThat(order("\"").send().headers()).doesNotContainKey("Link");
    }

    @Test
    void messagesOfTheApplicationReplaceOurs() throws Exception {
        order("key").send();
        HttpCall reuse = application.post("/orders").key("key").json(Orders.COFFEE);

        Answer german = reuse.header("Accept-Language", "de").send();

        requireProblem(german, 422, "key-reused", "Schluessel schon benutzt");
        assertThat(german.text("$.detail")).isEqualTo("Ein neuer Auftrag braucht einen neuen Schluessel.");
        Answer other = order("\"").header("Accept-Language", "de").send();
        requireProblem(other, 400, "invalid-key", "Idempotency-Key is not valid");
        assertThat(other.text("$.detail")).isEqualTo("Der Schluessel ist ungueltig.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/problem+json", "text/html", "text/plain", "*/*"})
    void whateverIsAcceptedTheAnswerIsAProblem(String accepted) throws Exception {
        Answer refused = order("\"").header("Accept", accepted).send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).startsWith("application/problem+json");
        assertThat(refused.problem()).isEqualTo("invalid-key");
    }

    private HttpCall order(String key) {
        return application.post("/orders").key(key).json(Orders.TEA);
    }

    private static void requireProblem(Answer answer, int status, String problem, String title) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.text("$.type")).isEqualTo("urn:problem-type:idempotency:" + problem);
        assertThat(answer.text("$.title")).isEqualTo(title);
        assertThat(JsonPath.<Integer>read(answer.body(), "$.status")).isEqualTo(status);
    }

    @Configuration(proxyBeanMethods = false)
    static class Additions {

        @Bean
        FailureTranslator codes() {
            return new FailureTranslator() {
                @Override
                public String codeOf(Throwable failure) {
                    return "out_of_stock";
                }
            };
        }

        @Bean
        MessageSource messageSource() {
            StaticMessageSource messages = new StaticMessageSource();
            String reused = KeyReusedException.class.getName();
            messages.addMessages(
                    Map.of(
                            "problemDetail.title." + reused, "Schluessel schon benutzt",
                            "problemDetail." + reused, "Ein neuer Auftrag braucht einen neuen Schluessel.",
                            "problemDetail." + InvalidIdempotencyKeyException.class.getName(),
                                    "Der Schluessel ist ungueltig."),
                    Locale.GERMAN);
            return messages;
        }

        /** An application may have more than one. */
        @Bean
        MessageSource otherMessages() {
            return new StaticMessageSource();
        }
    }
}
