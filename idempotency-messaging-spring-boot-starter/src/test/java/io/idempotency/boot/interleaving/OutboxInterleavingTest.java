package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.interleaving.Recipient.Refusal;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** The schedules of calls that publish messages, and of relays that send them. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboxInterleavingTest {

    private static final Set<Fault> NO_FAULT = EnumSet.noneOf(Fault.class);

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        Orders.createTables(database.jdbc());
        applications = new Applications(
                database,
                WithOutbox.class,
                "idempotency.outbox.backoff.delay=1h",
                "idempotency.outbox.max-attempts=" + Publications.MOST_ATTEMPTS);
        applications.warmUp(Orders.class, (orders, key) -> orders.place(key, key, Refusal.NEVER));
        applications.warmUp(Relay.class, (relay, key) -> relay.sendBatch());
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @Test
    void aCallerAndARelay() {
        explorer(1, 1, 1, Refusal.NEVER).exploreAll(NO_FAULT, 0);
    }

    @Test
    void twoRelaysAndOneOfFewFaults() {
        explorer(1, 0, 2, Refusal.NEVER).exploreAll(EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED), 1);
    }

    @ParameterizedTest
    @EnumSource
    void twoRelaysAndARefusedMessage(Refusal refusal) {
        explorer(2, 0, 2, refusal).exploreAll(NO_FAULT, 0);
    }

    @Test
    @Tag("full")
    void twoCallersAndARelay() {
        explorer(1, 2, 1, Refusal.NEVER).exploreAll(Bounds.of(NO_FAULT, 0).withSwitches(TestSize.pick(2, 3)));
    }

    @Test
    @Tag("full")
    void twoRelaysAndOneFault() {
        explorer(1, 0, 2, Refusal.NEVER).exploreAll(EnumSet.allOf(Fault.class), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoCallersAndTwoRelaysAtRandomWithTwoFaults(Refusal refusal) {
        explorer(1, 2, 2, refusal).walk(1, TestSize.pick(40, 400), 2);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoOrdersOfACustomerAndTwoRelaysAtRandomWithTwoFaults(Refusal refusal) {
        explorer(2, 1, 2, refusal).walk(1, TestSize.pick(40, 400), 2);
    }

    private Explorer explorer(int orders, int callers, int relays, Refusal refusal) {
        return new Explorer(
                orders + " orders, " + callers + " callers of each, " + relays + " relays, refused: " + refusal,
                applications.server(),
                new Publications(applications, orders, callers, relays, refusal));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    @Import({Orders.class, Recipient.class, Relay.Replacing.class})
    static class WithOutbox {}
}
