package io.idempotency.boot.web;

import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A replay has the status, the headers that matter and the body of the first answer, byte for byte. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplayedAnswerTest {

    @AutoClose
    private final HttpApplication application;

    private int executionsBefore;

    ReplayedAnswerTest(TestDatabase database) {
        application = HttpApplication.start(
                database,
                List.of(KindsOfAnswers.class),
                "idempotency.http.replay-headers=x-order-number",
                "idempotency.http.replayed-header-name=X-Replayed",
                "logging.level.io.idempotency.boot.web=off");
    }

    @BeforeEach
    void clear() {
        application.forgetRequests();
        executionsBefore = application.bean(KindsOfAnswers.class).executions();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "record",
                "nothing",
                "null",
                "no-content",
                "see-other",
                "text",
                "plain-text",
                "bytes",
                "encoded",
                "decimal",
                "map",
                "dates",
                "created",
                "failed"
            })
    void theReplayEqualsTheFirstAnswer(String kind) throws Exception {
        Answer first = application.post("/" + kind).key("key").send();
        Answer replay = application.post("/" + kind).key("\"key\"").send();

        assertThat(first.status()).as(first.body()).isLessThan(500);
        assertThat(first.headers()).doesNotContainKey("X-Replayed");
        assertThat(replay.header("X-Replayed")).isEqualTo("true");
        assertThat(replay.without("X-Replayed")).isEqualTo(first);
        assertThat(executions()).isPositive().isLessThanOrEqualTo(2);
        assertThat(application.requests()).isEqualTo(1);
    }

    @Test
    void headersOfOneClientOrOneMomentAreNot() throws Exception {
        Answer first = application.post("/headers").key("key").send();
        Answer replay = application.post("/headers").key("key").send();

        assertThat(first.headers()).containsKeys("Set-Cookie", "X-Served-By", "X-Order-Number", "Location");
        assertThat(replay.headers())
                .doesNotContainKeys("Set-Cookie", "X-Served-By")
                .containsEntry("X-Order-Number", List.of("42"))
                .containsEntry("Location", first.headers().get("Location"));
        assertThat(application
                        .jdbc()
                        .queryForObject(
                                "select response_body::text from idempotency.idempotency_request", String.class))
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 502, 503, 504})
    void anAnswerThatAsksForARepeatIsNotStored(int status) throws Exception {
        application.bean(KindsOfAnswers.class).clearStatus();

        Answer busy = application.post("/status/" + status).key("key").send();

        assertThat(busy.status()).isEqualTo(status);
        assertThat(busy.header("Retry-After")).isEqualTo("7");
        assertThat(busy.body()).contains("\"execution\":1");
        assertThat(application.requests()).isZero();

        Answer repeat = application.post("/status/" + status).key("key").send();
        Answer replay = application.post("/status/" + status).key("key").send();

        assertThat(repeat.status()).isEqualTo(200);
        assertThat(repeat.headers()).doesNotContainKey("X-Replayed");
        assertThat(replay.header("X-Replayed")).isEqualTo("true");
        assertThat(replay.body()).isEqualTo(repeat.body());
        assertThat(application.jdbc().queryForList("select execution from item_of_status", Integer.class))
                .containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 402, 409, 422, 500, 501})
    void anyOtherAnswerIsStored(int status) throws Exception {
        application.bean(KindsOfAnswers.class).clearStatus();

        Answer first = application.post("/status/" + status).key("key").send();
        Answer replay = application.post("/status/" + status).key("key").send();

        assertThat(first.status()).isEqualTo(status);
        assertThat(replay.status()).isEqualTo(status);
        assertThat(replay.body()).isEqualTo(first.body());
        assertThat(application.jdbc().queryForList("select execution from item_of_status", Integer.class))
                .containsExactly(1);
    }

    private int executions() {
        return application.bean(KindsOfAnswers.class).executions() - executionsBefore;
    }
}
