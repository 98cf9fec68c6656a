package io.idempotency.test;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("full")
class ConcurrentCallsTest {

    @Test
    void reallyOverlap() {
        CyclicBarrier meeting = new CyclicBarrier(2);

        CallResults<String> results = ConcurrentCalls.run(2, index -> {
            meeting.await(10, TimeUnit.SECONDS);
            return "call " + index;
        });

        assertThat(results.requireAllSucceeded()).containsExactly("call 0", "call 1");
    }

    @Test
    void keepFailuresApart() {
        List<Callable<String>> calls = List.of(
                () -> "first",
                () -> {
                    throw new IllegalStateException("second");
                },
                () -> null);

        CallResults<String> results = ConcurrentCalls.run(calls);

        assertThat(results.values()).containsExactly("first", null);
        assertThat(results.failures()).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(results.get(1).succeeded()).isFalse();
        assertThatThrownBy(results::requireAllSucceeded)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 of 3")
                .satisfies(error -> assertThat(error.getSuppressed()).hasSize(1));
    }
}
