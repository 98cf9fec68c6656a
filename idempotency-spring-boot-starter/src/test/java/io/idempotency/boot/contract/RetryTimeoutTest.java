package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls that take longer than the time for retries. */
@ContractTest
class RetryTimeoutTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final CuttingProxy proxy;

    private final ContractApplication application;

    RetryTimeoutTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(), "idempotency.retry.timeout=1ms");
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
