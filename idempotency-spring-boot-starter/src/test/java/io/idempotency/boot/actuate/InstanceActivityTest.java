package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;

/** What is counted of the events, and for how long. */
class InstanceActivityTest {

    private final TestClock clock = new TestClock();

    private final InstanceActivity activity = new InstanceActivity(clock);

    @ParameterizedTest
    @EnumSource
    void callsCountAsSuppressedIfTheirIntentWasSettledBefore(Outcome outcome) {
        call("payments", outcome);

        Counts counts = activity.calls().busiest(1, 1).get(0).counts().total();
        assertThat(counts.all()).isOne();
        assertThat(counts.suppressed())
                .isEqualTo(
                        switch (outcome) {
                            case REPLAYED, FAILURE_REPLAYED, RESPONSE_EXPIRED, UNREADABLE -> 1;
                            default -> 0;
                        });
    }

    @Test
    void aCallThatHadToWaitTooLongMakesItsKeyHotAndIsNotSuppressed() {
        call("payments", Outcome.IN_PROGRESS);

        assertThat(activity.calls().busiest(1, 1).get(0).hottest()).hasSize(1);
        assertThat(activity.calls().busiest(1, 1).get(0).counts().total().suppressionRate())
                .isZero();
    }

    @Test
    void theLastMinutesForgetWhatIsLongAgo() {
        call("payments", Outcome.REPLAYED);
        clock.turn(Duration.ofMinutes(3));
        call("payments", Outcome.EXECUTED);

        assertThat(recent()).isEqualTo(new Counts(2, 1, 0.5));
        clock.turn(Duration.ofMinutes(3));
        assertThat(recent()).isEqualTo(new Counts(1, 0, 0.0));
        clock.turn(Duration.ofMinutes(3));
        assertThat(recent()).isEqualTo(new Counts(0, 0, null));
        call("payments", Outcome.EXECUTED);
        assertThat(recent()).isEqualTo(new Counts(1, 0, 0.0));
        assertThat(activity.calls().busiest(1, 1).get(0).counts().total().all()).isEqualTo(3);
    }

    @Test
    void scopesThatAreMadeUpWhileRunningAreCountedTogether() {
        for (int i = 0; i < 2 * Activity.MAX_NAMES; i++) {
            call("scope-" + i, Outcome.EXECUTED);
        }

        assertThat(activity.calls().busiest(Integer.MAX_VALUE, 1)).hasSize(Activity.MAX_NAMES + 1);
        assertThat(activity.calls().busiest(1, 1).get(0).name()).isEqualTo(Activity.OTHER_NAMES);
        assertThat(activity.calls().busiest(1, 1).get(0).counts().total().all()).isEqualTo(Activity.MAX_NAMES);
    }

    @Test
    void callsWithoutAKeyAndMessagesWithAMalformedIdAreCountedAndNotRemembered() {
        activity.callCompleted(new CallCompleted("payments", null, Outcome.INVALID_KEY, 0, Duration.ZERO, null));
        activity.messageReceived(new MessageReceived("mails", null, MessageOutcome.INVALID_ID, 0, Duration.ZERO, null));
        activity.messageReceived(new MessageReceived("mails", " ", MessageOutcome.DUPLICATE, 0, Duration.ZERO, null));

        assertThat(activity.calls().busiest(1, 1).get(0).counts().total().all()).isOne();
        assertThat(activity.messages().busiest(1, 1).get(0).counts().total().all())
                .isEqualTo(2);
        assertThat(activity.messages().busiest(1, 1).get(0).hottest()).isEmpty();
    }

    @Test
    void theBusiestAreFoundWhileCallsAreCounted() throws Exception {
        for (int i = 0; i < Activity.MAX_NAMES; i++) {
            call("scope-" + i, Outcome.EXECUTED);
        }
        AtomicBoolean counting = new AtomicBoolean(true);
        ExecutorService callers = Executors.newFixedThreadPool(2);
        try {
            Runnable caller = () -> {
                while (counting.get()) {
                    call("scope-" + ThreadLocalRandom.current().nextInt(Activity.MAX_NAMES), Outcome.EXECUTED);
                }
            };
            List<Future<?>> callersAtWork = List.of(callers.submit(caller), callers.submit(caller));
            for (int look = 0; look < 200; look++) {
                assertThat(activity.calls().busiest(1, 1)).hasSize(1);
            }
            counting.set(false);
            for (Future<?> done : callersAtWork) {
                done.get();
            }
        } finally {
            counting.set(false);
            callers.shutdownNow();
        }
    }

    private Counts recent() {
        return activity.calls().busiest(1, 1).get(0).counts().recent();
    }

    private void call(String scope, Outcome outcome) {
        activity.callCompleted(new CallCompleted(
                scope, new Intent(scope, "", new IdempotencyKey("key")), outcome, 1, Duration.ZERO, null));
    }
}
