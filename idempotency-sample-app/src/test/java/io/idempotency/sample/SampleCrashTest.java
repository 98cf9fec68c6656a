package io.idempotency.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.idempotency.sample.Orders.Order;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The application is killed again and again while it makes payments and counts them; its clients then ask again. */
@PostgresTest
@Tag("full")
class SampleCrashTest {

    private static final int KILLS = TestSize.pick(2, 20);

    /** The PostgreSQL application name of its connections, which the gate is closed for. */
    private static final String NAME = "crash";

    private static final int CLIENTS = 12;

    /** So many that connections are warm and every client has a request on its way. */
    private static final int ANSWERS_BEFORE_KILL = 300;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Orders orders = new Orders();

    private final Load load = new Load();

    private final TestDatabase database;

    /** Messages that were handled before a kill, and again after it, because nobody could keep that they were. */
    private long handledButPending;

    @TempDir
    private Path directory;

    SampleCrashTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void killsLoseNothingAndRepeatNothing() throws Exception {
        for (int round = 1; round <= KILLS; round++) {
            try (SampleProcess application = SampleProcess.start(
                    database,
                    directory.resolve("round-" + round),
                    "--spring.datasource.hikari.data-source-properties.ApplicationName=" + NAME)) {
                WalletClient wallet = WalletClient.of(application.awaitUrl());
                MarkGate.install(database).whileClosedFor(NAME, () -> loadAndKill(application, wallet));
            }
        }
        try (SampleProcess application = SampleProcess.start(database, directory.resolve("last"))) {
            sendAllAgain(WalletClient.of(application.awaitUrl()));
            await().atMost(TIMEOUT).until(() -> count("idempotency.outbox_event where status <> 'sent'") == 0);
        }
        assertEachOrderWasPaidOnce();
        assertEachPaymentWasCountedOnce();
    }

    private void loadAndKill(SampleProcess application, WalletClient wallet) {
        int answersBefore = load.answers();
        int brokenBefore = load.broken();
        ConcurrentCalls<Void> clients = ConcurrentCalls.start(CLIENTS, () -> load.runUntilKilled(wallet, orders));
        await().atMost(TIMEOUT)
                .until(() -> clients.isDone()
                        || (load.answers() - answersBefore >= ANSWERS_BEFORE_KILL && countHandledButPending() > 0));

        application.kill();

        clients.await().requireAllSucceeded();
        assertThat(load.broken() - brokenBefore)
                .as("requests that the kill struck on their way")
                .isPositive();
        handledButPending += countHandledButPending();
    }

    private long countHandledButPending() {
        return count("""
                idempotency.outbox_event join idempotency.processed_message
                on processed_message.message_id = outbox_event.message_id::text
                where outbox_event.status = 'pending'""");
    }

    private void sendAllAgain(WalletClient wallet) {
        List<Order> shuffled = new ArrayList<>(orders.all());
        Collections.shuffle(shuffled);
        Queue<Order> remaining = new ConcurrentLinkedQueue<>(shuffled);
        ConcurrentCalls.run(CLIENTS, () -> {
                    for (Order order = remaining.poll(); order != null; order = remaining.poll()) {
                        load.send(wallet, order);
                    }
                })
                .requireAllSucceeded();
        assertThat(load.acknowledged()).isEqualTo(orders.all().size());
    }

    private void assertEachOrderWasPaidOnce() {
        List<Order> all = orders.all();
        assertThat(database.jdbc()
                        .queryForList(
                                "select reference from payment group by reference having count(*) > 1", String.class))
                .as("paid more than once")
                .isEmpty();
        assertThat(count("payment")).isEqualTo(all.size());
        assertThat(count("idempotency.idempotency_request where status = 'succeeded'"))
                .isEqualTo(all.size());
        for (String accountId : List.of("alice", "bob")) {
            long spent = all.stream()
                    .filter(order -> order.accountId().equals(accountId))
                    .mapToLong(Order::amountCents)
                    .sum();
            assertThat(database.jdbc()
                            .queryForObject(
                                    "select sum(amount_cents)::bigint from account_event where account_id = ?",
                                    Long.class,
                                    accountId))
                    .as(accountId)
                    .isEqualTo(1_000_000 - spent);
        }
    }

    private void assertEachPaymentWasCountedOnce() {
        assertThat(handledButPending).as("messages that were handled again").isPositive();
        // One about the payment, one about the event.
        assertThat(count("idempotency.outbox_event"))
                .isEqualTo(2L * orders.all().size());
        ProjectionChecks.requireExact(database.jdbc());
    }

    private long count(String rows) {
        return database.jdbc().queryForObject("select count(*) from " + rows, Long.class);
    }
}
