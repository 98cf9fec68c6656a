package io.idempotency.observation;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.idempotency.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class SafeCallObserverTest {

    private static final CallCompleted CALL =
            new CallCompleted("payments", null, Outcome.EXECUTED, 1, Duration.ofMillis(3), null);

    @Test
    void anObserverThatFailsAtTheStartHarmsNoCall() {
        CallObserver observer = SafeCallObserver.of(new FailingAtTheStart());

        assertThatCode(() -> observer.callStarted("payments").ended(CALL)).doesNotThrowAnyException();
    }

    @Test
    void anObserverThatFailsAtTheEndHarmsNoCall() {
        CallObserver observer = SafeCallObserver.of(new FailingAtTheEnd());

        assertThatCode(() -> observer.callStarted("payments").ended(CALL)).doesNotThrowAnyException();
    }

    @Test
    void whereNobodyObservesNothingIsMade() {
        assertThat(SafeCallObserver.of(CallObserver.NONE)).isSameAs(CallObserver.NONE);
        assertThat((Object) CallObserver.NONE.callStarted("payments"))
                .isSameAs(SafeCallObserver.of(scope -> CallObserver.Observed.noOp())
                        .callStarted("payments"));
    }

    private static final class FailingAtTheStart implements CallObserver {

        @Override
        public Observed<CallCompleted> callStarted(String scope) {
            throw new IllegalStateException("no tracer");
        }
    }

    private static final class FailingAtTheEnd implements CallObserver {

        @Override
        public Observed<CallCompleted> callStarted(String scope) {
            return event -> {
                throw new NoClassDefFoundError("an exporter");
            };
        }
    }
}
