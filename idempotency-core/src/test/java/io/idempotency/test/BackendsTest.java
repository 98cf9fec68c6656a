package io.idempotency.test;

import java.time.Duration;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The helpers that a test of a race rests on fail where nothing happens. */
@PostgresTest
@Tag("full")
class BackendsTest {

    private final Backends backends;

    BackendsTest(TestDatabase database) {
        this.backends = database.backends();
    }

    @Test
    void awaitBlockedFailsWithoutAWaiter() {
        assertThatThrownBy(() -> backends.awaitBlocked(1, Duration.ofMillis(100)))
                .isInstanceOf(ConditionTimeoutException.class)
                .hasMessageContaining("1 backends wait for a lock");
    }

    @Test
    void terminateFailsWithoutABackend() {
        assertThatThrownBy(() -> backends.terminate(-1)).isInstanceOf(AssertionError.class);
    }
}
