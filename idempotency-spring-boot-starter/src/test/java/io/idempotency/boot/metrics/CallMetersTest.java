package io.idempotency.boot.metrics;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StepEnded;

import static org.assertj.core.api.Assertions.assertThat;

/** What has no name of its own is counted all the same. */
class CallMetersTest {

    private static final Intent INTENT = new Intent("payments", "", new IdempotencyKey("key"));

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final CallMeters meters = new CallMeters(registry);

    @Test
    void aConnectionThatIsLostWithoutAWordHasAnUnknownSqlState() {
        meters.callRetried(new CallRetried(INTENT, 1, null, new IllegalStateException("no answer")));

        assertThat(registry.get("idempotency.retries")
                        .tag("sqlstate", "unknown")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void stepsAreCountedByWhetherTheyWereRun() {
        meters.stepEnded(new StepEnded(INTENT, "charge", false));
        meters.stepEnded(new StepEnded(INTENT, "charge", true));
        meters.stepEnded(new StepEnded(INTENT, "ship", true));

        assertThat(registry.get("idempotency.steps")
                        .tags("scope", "payments", "outcome", "executed")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("idempotency.steps")
                        .tags("scope", "payments", "outcome", "replayed")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void anAnonymousExceptionHasTheNameOfItsClass() {
        fail(1, new IllegalStateException("anonymous") {});

        assertThat(registry.get("idempotency.attempt.failures")
                        .tag("exception", CallMetersTest.class.getName() + "$1")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void whatWasNoAttemptIsNotCounted() {
        fail(0, null);

        assertThat(registry.find("idempotency.attempt.failures").counters()).isEmpty();
    }

    @Test
    void purgedRowsAddUp() {
        meters.rowsPurged(new RowsPurged("idempotency_request", 7));
        meters.rowsPurged(new RowsPurged("idempotency_request", 5));

        assertThat(registry.get("idempotency.purged")
                        .tag("table", "idempotency_request")
                        .counter()
                        .count())
                .isEqualTo(12);
    }

    private void fail(int attempt, @Nullable Throwable failure) {
        meters.callCompleted(
                new CallCompleted("payments", INTENT, Outcome.FAILED, attempt, Duration.ofMillis(1), failure));
    }
}
