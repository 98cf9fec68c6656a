package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.idempotency.inbox.Inbox;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages have no rows among the requests, so that these are not asked for them. */
@ContractTest
class DeliveryCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int DELIVERIES = 8;

    private final ContractApplications applications;

    DeliveryCostTest(ContractApplications applications) {
        this.applications = applications;
    }

    @Test
    void aMessageThatThisInstanceHasHandledTakesNoMoreRoundTripsThanOneThatAnotherHasHandled() throws Exception {
        Inbox another = applications.start(List.of()).bean(Inbox.class);
        another.handleOnce("invoices", "elsewhere", () -> {});
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            Inbox inbox = applications
                    .start(List.of(), "spring.datasource.url=" + counter.jdbcUrl())
                    .bean(Inbox.class);
            for (int delivery = 0; delivery < DELIVERIES; delivery++) {
                inbox.handleOnce("invoices", "here", () -> {});
            }

            long elsewhere = counter.count(() -> inbox.handleOnce("invoices", "elsewhere", () -> {}));

            assertThat(elsewhere).isPositive();
            assertThat(counter.count(() -> inbox.handleOnce("invoices", "here", () -> {})))
                    .isEqualTo(elsewhere);
        }
    }
}
