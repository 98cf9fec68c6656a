package io.idempotency.internal.call.wait;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A thread that was interrupted before its call. */
class SingleFlightOfInterruptedTest {

    private final SingleFlight calls = new SingleFlight(1);

    private final String key = "key";

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void getsItsTurnIfNobodyHasTheKey() throws Throwable {
        Thread.currentThread().interrupt();

        assertThat(call(() -> "its turn")).isEqualTo("its turn");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void doesNotWaitIfAnotherCallHasIt() throws Throwable {
        assertThat(call(() -> {
                    Thread.currentThread().interrupt();
                    return call(() -> "its turn");
                }))
                .isEqualTo("in progress");
    }

    private @Nullable Object call(SingleFlight.Turn work) throws Throwable {
        return calls.call(
                key,
                new WaitBudget(Duration.ofSeconds(30), new Semaphore(1, true)),
                work,
                () -> "in progress",
                () -> "too many waiting");
    }
}
