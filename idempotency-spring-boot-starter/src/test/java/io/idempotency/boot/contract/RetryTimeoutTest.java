package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls that take longer than the time for retries. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RetryTimeoutTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final TestDatabase database;

    private CuttingProxy proxy;

    private ContractApplication application;

    RetryTimeoutTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        proxy = CuttingProxy.of(database);
        application = ContractApplication.start(
                database,
                List.of(),
                "spring.datasource.url=" + proxy.jdbcUrl(),
                "idempotency.retry.timeout=1ms",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.springframework=off");
    }

    @AfterAll
    void stop() {
        application.close();
        proxy.close();
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    @Test
    void whatBecameOfALostCommitIsAskedAllTheSame() {
        proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

        Receipt answer = application.payments().pay("key", COMMAND);

        assertThat(application.payments().pay("key", COMMAND)).isEqualTo(answer);
    }

    @Test
    void aRepeatThatDoesNotComeIsNotReportedAndNothingIsCommitted() {
        proxy.cutNext("COMMIT", Point.BEFORE_IT_IS_SENT);

        assertThat(catchThrowable(() -> application.payments().pay("key", COMMAND)))
                .isNotNull();

        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.effects()).isZero();
    }
}
