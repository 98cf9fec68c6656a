package io.idempotency.boot.rabbit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.Backends.Backend;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances buy, send and receive, and are killed in the middle of a transaction, as is the broker: each purchase is made once and
 * entered once, in the order of its account.
 */
@PostgresTest
@Tag("full")
@Tag("race")
class RabbitUnderKillsTest {

    static final int ACCOUNTS = 10;

    private static final int INSTANCES = 3;

    private static final int PURCHASES = TestSize.pick(300, 10_000);

    private static final int KILLED_INSTANCES = TestSize.pick(2, 20);

    private static final int KILLED_BROKERS = TestSize.pick(1, 5);

    private static final Duration PATIENCE = TestSize.pick(Duration.ofMinutes(3), Duration.ofMinutes(20));

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final List<RabbitInstance> instances = new ArrayList<>();

    @TempDir
    private Path directory;

    private RabbitBroker broker;

    RabbitUnderKillsTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeEach
    void start() {
        broker = RabbitBroker.start(directory);
        Purchases.createTables(jdbc, ACCOUNTS);
        CachingConnectionFactory connections = broker.connectionFactory();
        // One instance at a time receives, because several would overtake each other.
        new RabbitAdmin(connections)
                .declareQueue(QueueBuilder.durable(Purchases.QUEUE)
                        .singleActiveConsumer()
                        .build());
        connections.destroy();
        IntStream.range(0, INSTANCES).forEach(number -> instances.add(instance(number)));
    }

    @AfterEach
    void stop() {
        instances.forEach(RabbitInstance::close);
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void eachPurchaseIsEnteredOnceInTheOrderOfItsAccount() {
        int faults = KILLED_INSTANCES + KILLED_BROKERS;
        for (int fault = 1; fault <= faults; fault++) {
            awaitEntries((long) PURCHASES * fault / (faults + 2));
            if (fault % (faults / KILLED_BROKERS) == 0) {
                broker.kill();
                broker.start();
            } else {
                killOneThatWrites();
            }
            assertThat(entries()).as("entries when the fault struck").isLessThan(PURCHASES);
        }
        awaitEntries(PURCHASES);

        assertThat(jdbc.queryForList("select number from purchase order by number", Integer.class))
                .isEqualTo(IntStream.range(0, PURCHASES).boxed().toList());
        assertThat(jdbc.queryForList(
                        "select account || ' ' || position from ledger order by account, entry", String.class))
                .isEqualTo(jdbc.queryForList(
                        "select account || ' ' || position from purchase order by account, position", String.class));
    }

    private void killOneThatWrites() {
        int number = Awaitility.await("an instance is in a transaction")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(
                        () -> IntStream.range(0, INSTANCES)
                                .filter(this::writes)
                                .findFirst()
                                .orElse(-1),
                        found -> found >= 0);
        instances.get(number).kill();
        instances.set(number, instance(number));
    }

    private boolean writes(int number) {
        return database.backends().activity().stream()
                .filter(Backend::writing)
                .anyMatch(backend -> backend.applicationName().equals(RabbitInstance.name(number)));
    }

    private RabbitInstance instance(int number) {
        return RabbitInstance.start(database, broker, directory, number, INSTANCES, PURCHASES);
    }

    private void awaitEntries(long count) {
        Awaitility.await(count + " entries")
                .timeout(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> entries() >= count);
    }

    private long entries() {
        return jdbc.queryForObject("select count(*) from ledger", Long.class);
    }
}
