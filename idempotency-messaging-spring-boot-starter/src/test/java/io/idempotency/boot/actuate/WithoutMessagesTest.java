package io.idempotency.boot.actuate;

import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.boot.testing.Answer;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint and health of an application without the library's messages show calls alone. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WithoutMessagesTest {

    private final TestDatabase database;

    @AutoClose
    private OperatedApplication application;

    WithoutMessagesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        application = OperatedApplication.startWithoutMessages(
                database,
                List.of(),
                "management.endpoint.health.show-details=always",
                "management.endpoint.idempotency.access=unrestricted");
    }

    @Test
    void theSectionsAreThoseOfCalls() {
        assertThat(application.overview().texts("$.sections"))
                .containsExactly(
                        "running-calls", "stale-leases", "half-done", "abandoned", "repeated-commands", "record");
        Answer answer = application.get("dead-messages");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error())
                .isEqualTo("There is no section 'dead-messages'. There are running-calls, stale-leases, half-done,"
                        + " abandoned, repeated-commands, record.");
        assertThat(application.get("record?key=unknown").error())
                .isEqualTo(
                        "No request with the key 'unknown' is stored in any scope. It may be held by a running transaction,"
                                + " which shows nothing before its commit: no statement waits for one now.");
    }

    @Test
    void theOperationsAreThoseOfCalls() {
        Answer answer = application.post("requeue", "{\"messageId\":\"m\",\"who\":\"ada\",\"reason\":\"late\"}");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error())
                .isEqualTo("There is no operation 'requeue'. There are release, complete, forget, retry, purge.");
    }

    @Test
    void healthHasNoOutbox() {
        assertThat(application.health("/idempotency").body()).contains("purge").doesNotContain("outbox");
    }
}
