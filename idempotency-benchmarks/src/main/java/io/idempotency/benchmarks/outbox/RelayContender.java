package io.idempotency.benchmarks.outbox;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.support.TransactionOperations;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.ContenderApplication;
import io.idempotency.benchmarks.harness.OutboxConfiguration;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** An application that publishes messages and relays them. Their order is kept by account. */
final class RelayContender implements AutoCloseable {

    private static final int HANDLER_THREADS = 4;

    private final ContenderApplication application;

    private final SmartLifecycle relay;

    private final TransactionOperations transactions;

    private final Effect effect;

    private final Outbox outbox;

    private final Deliveries deliveries;

    private int published;

    RelayContender(BenchmarkServer server, String name, Class<?> receiver) {
        application = new ContenderApplication(
                server,
                name,
                "",
                List.of(OutboxConfiguration.class, Deliveries.class, receiver),
                List.of("idempotency.outbox.handler-threads=" + HANDLER_THREADS));
        relay = application.bean("idempotencyRelayRunner", SmartLifecycle.class);
        transactions = application.bean(TransactionOperations.class);
        effect = application.bean(Effect.class);
        outbox = application.bean(Outbox.class);
        deliveries = application.bean(Deliveries.class);
        relay.stop();
    }

    /**
     * Publishes messages, and relays them.
     *
     * @throws IllegalStateException if a handler is not run once for each message
     */
    void checkHandler(int messages) throws InterruptedException {
        drain(messages);
        if (application.deliveries() != messages) {
            throw new IllegalStateException(
                    messages + " messages were published, but handlers run " + application.deliveries() + " times");
        }
    }

    /** Publishes messages while the relay stands still, and returns how many it then sends a second. */
    double drain(int messages) throws InterruptedException {
        deliveries.expect(published, messages);
        transactions.executeWithoutResult(status -> {
            for (int i = 0; i < messages; i++) {
                publish(Payment.of(published++));
            }
        });
        long start = System.nanoTime();
        relay.start();
        deliveries.await();
        double seconds = (System.nanoTime() - start) / 1e9;
        relay.stop();
        return messages / seconds;
    }

    /** Publishes messages at a steady pace, each with an effect; the relay is woken by each commit. */
    Deliveries deliverPaced(int messages, Duration pace) throws InterruptedException {
        deliveries.expect(published, messages);
        relay.start();
        long due = System.nanoTime();
        for (int i = 0; i < messages; i++, due += pace.toNanos()) {
            for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            Payment payment = Payment.of(published++);
            transactions.executeWithoutResult(status -> {
                effect.pay(payment);
                deliveries.stampCommit(payment.number());
                publish(payment);
            });
        }
        deliveries.await();
        relay.stop();
        return deliveries;
    }

    private void publish(Payment payment) {
        outbox.publish(OutboxMessage.of(Receivers.TOPIC, "PaymentMade")
                .orderingKey(Integer.toString(payment.account()))
                .aggregate("payment", Integer.toString(payment.number()))
                .payload(payment)
                .build());
    }

    @Override
    public void close() {
        application.close();
    }
}
