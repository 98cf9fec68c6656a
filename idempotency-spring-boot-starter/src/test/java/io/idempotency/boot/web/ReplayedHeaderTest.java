package io.idempotency.boot.web;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.HttpCall;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Which answers say that they are replays: those to requests that did nothing else. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplayedHeaderTest {

    @AutoClose
    private final HttpApplication application;

    ReplayedHeaderTest(TestDatabase database) {
        Orders.createTable(database);
        application = HttpApplication.start(database, List.of(Orders.class));
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
    }

    @Test
    void theReplayOfAnotherKeyInsideOfTheRequestDoesNotCount() throws Exception {
        application.post("/two-steps?otherKey=common").key("first").send();

        Answer answer =
                application.post("/two-steps?otherKey=common").key("second").send();

        assertThat(answer.isReplayed()).isFalse();
        assertThat(Orders.count(application)).isEqualTo(3);
    }

    @Test
    void theExecutionForAnotherKeyInsideOfTheRequestDoesNotCount() throws Exception {
        application.post("/two-steps?otherKey=one").key("key").send();

        Answer answer = application.post("/two-steps?otherKey=two").key("key").send();

        assertThat(answer.isReplayed()).isTrue();
    }

    @Test
    void aRequestThatReplayedOneStepAndExecutedTheNextIsNoReplay() throws Exception {
        HttpCall call = application.post("/two-steps").key("key");
        call.send();
        forget("impatient-orders");

        assertThat(call.send().isReplayed()).isFalse();
        assertThat(call.send().isReplayed()).isTrue();
    }

    @Test
    void aRequestThatExecutedOneStepAndReplayedTheNextIsNoReplay() throws Exception {
        HttpCall call = application.post("/two-steps").key("key");
        call.send();
        forget("orders");

        assertThat(call.send().isReplayed()).isFalse();
        assertThat(call.send().isReplayed()).isTrue();
    }

    private void forget(String scope) {
        application.jdbc().update("delete from idempotency.idempotency_request where idempotency_scope = ?", scope);
    }
}
