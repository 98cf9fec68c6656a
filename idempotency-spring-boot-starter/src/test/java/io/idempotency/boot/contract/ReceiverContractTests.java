package io.idempotency.boot.contract;

import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.observation.MessageOutcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** One message is delivered many times at once: it is handled once. A subclass names the isolation level. */
@ContractTest
abstract class ReceiverContractTests {

    private static final int DELIVERIES = 32;

    private final String isolation;

    private final ContractApplication application;

    private final ContractApplication other;

    ReceiverContractTests(ContractApplications applications, String isolation) {
        this.isolation = isolation;
        String level = "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation;
        application = applications.start(List.of(Bookings.class), level);
        other = applications.start(List.of(Bookings.class), level);
    }

    @Test
    @Tag("race")
    void aMessageThatComesManyTimesAtOnceIsHandledOnce() {
        assertIsHandledOnce(delivery -> application);

        assertThat(application.outcomes().retries()).isEmpty();
    }

    @Test
    @Tag("race")
    void aMessageThatComesToTwoApplicationsAtOnceIsHandledOnce() {
        assertIsHandledOnce(delivery -> delivery % 2 == 0 ? application : other);

        assertThat(Stream.of(application, other)
                        .flatMap(one -> one.outcomes().retries().stream())
                        .map(Outcomes.Repeat::sqlState))
                .allMatch("40001"::equals)
                .hasSizeLessThanOrEqualTo(isolation.equals("READ_COMMITTED") ? 0 : Integer.MAX_VALUE);
    }

    private void assertIsHandledOnce(IntFunction<ContractApplication> applicationOf) {
        int rounds = TestSize.pick(10, 100);
        for (int round = 0; round < rounds; round++) {
            String id = "round-" + round;

            List<Integer> answers = ConcurrentCalls.run(
                            DELIVERIES,
                            delivery -> applicationOf
                                    .apply(delivery)
                                    .bean(Bookings.class)
                                    .book(id, 5))
                    .requireAllSucceeded();

            assertThat(answers).hasSize(DELIVERIES);
            assertThat(answers.stream().filter(Objects::nonNull)).containsExactly(1);
        }
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent()).isEqualTo(5L * rounds);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(Stream.of(application, other)
                        .flatMap(one -> one.outcomes().ofMessages().stream())
                        .filter(MessageOutcome.HANDLED::equals))
                .hasSize(rounds);
    }
}
