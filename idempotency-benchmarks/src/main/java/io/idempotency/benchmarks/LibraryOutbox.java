package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;

/** This library's outbox, ordered by account. Its handler makes its effect once; a sender that does nothing is the floor. */
final class LibraryOutbox extends OutboxContender {

    private static final String TOPIC = "payments";

    private final List<ConfigurableApplicationContext> relays = new ArrayList<>();

    private final ConfigurableApplicationContext publisher;

    private final Outbox outbox;

    private final Class<?> receiver;

    private final Duration pollInterval;

    /** Ids of one insertion are neighbours in the index, as those of the library are. */
    private int insertions;

    /**
     * Starts it.
     *
     * @param wakes whether the relay is woken by the application's own commits; else another one has to find them
     * @param receiver what messages reach
     */
    LibraryOutbox(
            String name,
            String database,
            BenchmarkServer server,
            boolean wakes,
            Class<?> receiver,
            Duration pollInterval) {
        super(name, database, server);
        this.receiver = receiver;
        this.pollInterval = pollInterval;
        ConfigurableApplicationContext relay = startRelay();
        publisher = wakes ? relay : startApplication("idempotency.outbox.relay=false");
        outbox = publisher.getBean(Outbox.class);
    }

    private ConfigurableApplicationContext startRelay() {
        ConfigurableApplicationContext relay =
                startApplication("idempotency.outbox.poll-interval=" + pollInterval.toMillis() + "ms");
        lifecycleOf(relay).stop();
        relays.add(relay);
        return relay;
    }

    private ConfigurableApplicationContext startApplication(String property) {
        return BenchmarkApplication.start(
                dataSource,
                deliveries,
                List.of(Configured.class, receiver),
                "idempotency.outbox.handler-threads=" + HANDLER_THREADS,
                property);
    }

    private static SmartLifecycle lifecycleOf(ConfigurableApplicationContext relay) {
        return relay.getBean("idempotencyRelayRunner", SmartLifecycle.class);
    }

    @Override
    ConfigurableApplicationContext publisher() {
        return publisher;
    }

    @Override
    void publish(Payment payment) {
        String number = Integer.toString(payment.number());
        outbox.publish(OutboxMessage.of(TOPIC, "PaymentMade")
                .orderingKey(Integer.toString(payment.account()))
                .aggregate("payment", number)
                .payload(payment)
                .build());
    }

    @Override
    void start(int count) {
        while (relays.size() < count) {
            startRelay();
        }
        relays.stream().limit(count).forEach(relay -> lifecycleOf(relay).start());
    }

    @Override
    void stop() {
        relays.forEach(relay -> lifecycleOf(relay).stop());
    }

    @Override
    void insertBacklog(int count) {
        insert("pending", "null, null", count);
    }

    @Override
    void insertDelivered(int count) {
        insert("sent", "clock_timestamp(), clock_timestamp() + interval '3 days'", count);
    }

    private void insert(String status, String sentAndExpiry, int count) {
        admin.update(
                """
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id, payload, headers,
                    status, attempt_count, created_at, due_at, next_attempt_at, sent_at, expires_at)
                select (?::text || lpad(to_hex(n), 24, '0'))::uuid, ?, 'PaymentMade', account::text,
                       account %% 64, 'payment', n::text,
                       json_build_object('number', n, 'account', account, 'text', ?), '{}', '%1$s', 0, clock_timestamp(),
                       clock_timestamp(), clock_timestamp(), %2$s
                from generate_series(0, ? - 1) as n
                cross join lateral (select n::bigint * 7919 %% ? as account) as a
                order by n""".formatted(status, sentAndExpiry),
                String.format("%08x", insertions++),
                TOPIC,
                Payment.TEXT,
                count,
                Payment.ACCOUNTS);
    }

    @Override
    String pending() {
        return "select 1 from idempotency.outbox_event where status = 'pending'";
    }

    @Override
    String tables() {
        return "idempotency.outbox_event, idempotency.processed_message";
    }

    @Override
    public void close() {
        publisher.close();
        relays.forEach(ConfigurableApplicationContext::close);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyAutoConfiguration.class,
        IdempotencyMigrationAutoConfiguration.class,
        IdempotencyOutboxAutoConfiguration.class
    })
    static class Configured {}

    /** Inserts a row, once. */
    static class Handler {

        private final Effect effect;

        private final Deliveries deliveries;

        Handler(Effect effect, Deliveries deliveries) {
            this.effect = effect;
            this.deliveries = deliveries;
        }

        @OutboxHandler(topic = TOPIC)
        void handle(Payment payment) {
            deliveries.arrived(payment.number());
            effect.deliver(payment.number());
        }
    }

    /** What the relay itself costs. */
    @Configuration(proxyBeanMethods = false)
    static class NoOp {

        @Bean
        OutboxSender sender(Deliveries deliveries) {
            return new OutboxSender() {
                @Override
                public CompletionStage<Void> send(OutboxRecord message) {
                    String number = message.aggregateId();
                    if (number != null) {
                        deliveries.arrived(Integer.parseInt(number));
                    }
                    return CompletableFuture.completedFuture(null);
                }
            };
        }
    }
}
