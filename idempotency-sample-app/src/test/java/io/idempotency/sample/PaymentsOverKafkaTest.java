package io.idempotency.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.idempotency.sample.Orders.Order;
import io.idempotency.sample.PaymentMessages.Arrival;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Payments whose messages go over a real Kafka, while the instances that send and receive them are killed in turn and Kafka
 * is restarted: each message arrives, in order, and each payment is counted once.
 */
@PostgresTest
@Tag("full")
class PaymentsOverKafkaTest {

    private static final int PAYMENTS = TestSize.pick(500, 10_000);

    private static final int KILLS_BEFORE_RESTART = TestSize.pick(1, 10);

    private static final int KILLS_AFTER_RESTART = TestSize.pick(1, 10);

    private static final int ACCOUNTS = 20;

    private static final int CLIENTS = 12;

    private static final long BALANCE = 1_000_000;

    private static final Duration TIMEOUT = TestSize.pick(Duration.ofSeconds(60), Duration.ofMinutes(10));

    private final Load load = new Load();

    /** How many requests may be sent: a share between two kills, so that there is something to do at each. */
    private final Semaphore permits = new Semaphore(0);

    private final List<Order> orders = new ArrayList<>();

    private final Queue<Order> requests = new ConcurrentLinkedQueue<>();

    private final TestDatabase database;

    @TempDir
    private Path directory;

    PaymentsOverKafkaTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    @Tag("race")
    void eachMessageArrivesInOrderAndIsCountedOnce() throws Exception {
        addOrders(PAYMENTS);
        int share = requests.size() / (KILLS_BEFORE_RESTART + KILLS_AFTER_RESTART + 3);
        try (KafkaProcess kafka = KafkaProcess.start(directory.resolve("kafka"));
                TwoInstances instances = TwoInstances.start(database, kafka.address(), directory);
                TopicWatch topic = new TopicWatch(database, kafka.address())) {
            openAccounts(instances);
            MarkGate gate = MarkGate.install(database);
            ConcurrentCalls<Void> clients = ConcurrentCalls.start(CLIENTS, () -> sendAll(instances));

            killInTurn(instances, topic, gate, KILLS_BEFORE_RESTART, share);
            restartUnderLoad(kafka, topic, gate, share);
            killInTurn(instances, topic, gate, KILLS_AFTER_RESTART, share);
            permits.release(requests.size() + CLIENTS);

            clients.await(TIMEOUT).requireAllSucceeded();
            assertThat(instances.broken()).as("requests that a kill struck").isPositive();
            await().atMost(TIMEOUT).until(() -> pending() == 0);
            await().atMost(TIMEOUT).pollInSameThread().until(topic::isReceived);
            assertEachPaymentWasMadeOnce();
            assertMessagesTellOfThem(PaymentMessages.readAll(kafka.address()));
            ProjectionChecks.requireExact(database.jdbc());
            await().atMost(TIMEOUT)
                    .until(() -> count("sent_notification join payment using (payment_id)") == orders.size());
        }
    }

    /** Each tenth request is sent again at the same time, and each tenth later. */
    private void addOrders(int count) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < count; i++) {
            Order order =
                    new Order("order-" + orders.size(), "account-" + random.nextInt(ACCOUNTS), random.nextLong(1, 20));
            orders.add(order);
            requests.add(order);
            if (i % 10 == 0) {
                requests.add(order);
            } else if (i % 10 == 5) {
                requests.add(orders.get(random.nextInt(orders.size())));
            }
        }
    }

    /** As many as it takes: how often a kill meets a message on its way is a matter of luck. */
    private void allow(int further) {
        int wanted = permits.availablePermits() + further + CLIENTS;
        if (requests.size() < wanted) {
            addOrders(wanted);
        }
        permits.release(further);
    }

    private static void openAccounts(TwoInstances instances) throws Exception {
        for (int i = 0; i < ACCOUNTS; i++) {
            instances.open("account-" + i, BALANCE);
        }
    }

    private void sendAll(TwoInstances instances) throws InterruptedException {
        for (permits.acquire(); ; permits.acquire()) {
            Order order = requests.poll();
            if (order == null) {
                return;
            }
            instances.pay(load, order);
        }
    }

    private void killInTurn(TwoInstances instances, TopicWatch topic, MarkGate gate, int kills, int share)
            throws Exception {
        for (int kill = 0; kill < kills; kill++) {
            allow(share);
            int instance = kill % 2;
            gate.whileClosedFor(TwoInstances.name(instance), () -> {
                awaitSent(topic, instance);
                // Some that are on their way, whatever has been answered before.
                allow(2 * CLIENTS);
                instances.kill(instance);
            });
        }
    }

    /** Behind the gate; with more requests if there is nothing to send. */
    private void awaitSent(TopicWatch topic, int instance) {
        await().atMost(TIMEOUT)
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    if (permits.availablePermits() == 0 && pending() == 0) {
                        allow(CLIENTS);
                    }
                    return topic.hasUnkeptOf(TwoInstances.name(instance));
                });
    }

    private void restartUnderLoad(KafkaProcess kafka, TopicWatch topic, MarkGate gate, int share) throws Exception {
        allow(share);
        gate.whileClosedFor(TwoInstances.name(0), () -> {
            awaitSent(topic, 0);
            kafka.stop();
        });
        int before = load.answers();
        allow(share);
        await().atMost(TIMEOUT).until(() -> load.answers() - before >= share / 2);
        assertThat(pending()).as("messages that wait for Kafka").isPositive();
        kafka.startAgain();
    }

    private void assertEachPaymentWasMadeOnce() {
        assertThat(load.acknowledged()).isEqualTo(orders.size());
        assertThat(count("payment")).isEqualTo(orders.size());
        assertThat(count("(select distinct reference from payment) as made")).isEqualTo(orders.size());
    }

    private void assertMessagesTellOfThem(PaymentMessages messages) {
        assertThat(messages.arrivals())
                .as("kills had messages sent again")
                .hasSizeGreaterThan(orders.size())
                .allMatch(arrival -> arrival.key().equals(arrival.accountId()));
        assertThat(messages.messageIdsByPayment())
                .containsOnlyKeys(database.jdbc().queryForList("select payment_id::text from payment", String.class))
                .allSatisfy((payment, messageIds) -> assertThat(messageIds).hasSize(1));
        assertThat(messages.arrivals().stream().map(Arrival::messageId).distinct())
                .hasSize(orders.size());
        messages.requireOrder(BALANCE);
    }

    private long pending() {
        return count("idempotency.outbox_event where status = 'pending'");
    }

    private long count(String rows) {
        return database.jdbc().queryForObject("select count(*) from " + rows, Long.class);
    }
}
