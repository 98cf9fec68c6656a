package io.idempotency.boot.contract;

import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.observation.MessageOutcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** One message is delivered many times at once: it is handled once. A subclass names the isolation level. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReceiverContractTests {

    private static final int DELIVERIES = 32;

    private final TestDatabase database;

    private final String isolation;

    private ContractApplication application;

    private ContractApplication other;

    ReceiverContractTests(TestDatabase database, String isolation) {
        this.database = database;
        this.isolation = isolation;
    }

    @BeforeAll
    void start() {
        String level = "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation;
        application = ContractApplication.start(database, List.of(Bookings.class), level);
        other = ContractApplication.startAnother(database, List.of(Bookings.class), level);
    }

    @AfterAll
    void stop() {
        other.close();
        application.close();
    }

    @AfterEach
    void clear() {
        other.clear();
        application.clear();
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
