package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.interleaving.Receivers.Message;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** The schedules of deliveries, for one isolation level. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DeliveryInterleavings {

    private final boolean mayConflict;

    private final String[] properties;

    private Applications applications;

    /**
     * Creates the tests.
     *
     * @param mayConflict whether a transaction fails if another one has changed what it cannot see
     * @param properties of both applications
     */
    DeliveryInterleavings(boolean mayConflict, String... properties) {
        this.mayConflict = mayConflict;
        this.properties = properties;
    }

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        Receivers.createTable(database.jdbc());
        applications = new Applications(
                database, WithReceivers.class, JdbcTestApplication.and(properties, "idempotency.wait-timeout=10s"));
        applications.warmUp(Receivers.class, DeliveryInterleavings::receiveEverything);
    }

    private static void receiveEverything(Receivers receivers, String stream) {
        for (Receiving receiving : Receiving.values()) {
            for (int broker = 0; broker < 2; broker++) {
                List<Message> messages = receiving.messages(stream + receiving, broker);
                receiving.deliver(receivers, messages, true);
            }
        }
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @ParameterizedTest
    @EnumSource
    void twoBrokersInTheFirstSchedules(Receiving receiving) {
        explorer(receiving, 2).exploreFirst(mayConflict ? 8 : 100);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoBrokers(Receiving receiving) {
        explorer(receiving, 2).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    /** Two of them deliver to one application, where duplicates wait for each other in the JVM. */
    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void threeBrokersAtRandomWithTwoFaults(Receiving receiving) {
        explorer(receiving, 3).walk(1, TestSize.pick(mayConflict ? 10 : 20, 400), 2);
    }

    final Explorer explorer(Receiving receiving, int brokers) {
        return new Explorer(
                getClass().getSimpleName() + "-" + receiving + "-of-" + brokers,
                applications.server(),
                new Deliveries(applications, receiving, brokers, brokers <= 2, mayConflict));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Receivers.class, Outcomes.class})
    static class WithReceivers {}
}
