package io.idempotency.boot.contract;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;

/** Uses each kind of call and of message, each with an effect in the table {@code feature}. */
@RestController
class EveryFeature {

    static final String TABLES = "create table if not exists feature (key text not null, effect text not null)";

    private final JdbcTemplate jdbc;

    private final Outbox outbox;

    private final IdempotencyOperations operations;

    EveryFeature(JdbcTemplate jdbc, Outbox outbox, IdempotencyOperations operations) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.operations = operations;
    }

    record Order(BigDecimal price, int count, OffsetDateTime at, Locale language) {

        static Order example() {
            return new Order(
                    new BigDecimal("1234.50"), 7, OffsetDateTime.parse("2026-11-28T23:30:00Z"), Locale.GERMANY);
        }
    }

    static class NotEnough extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotEnough() {
            super("no");
        }
    }

    @Transactional
    @Idempotent(scope = "every-call", key = "#key")
    public Order call(String key, Order order) {
        write(key, "call");
        return order;
    }

    @Transactional
    @Idempotent(scope = "every-void", key = "#key")
    public void callWithoutResponse(String key) {
        write(key, "void");
    }

    @Transactional
    @Idempotent(scope = "every-optimistic", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
    public String callOptimistically(String key) {
        write(key, "optimistic");
        return key;
    }

    public void writeAtOnce(String key) {
        operations
                .write("every-write", key, key)
                .statement("insert into feature values (:key, 'write')", Map.of("key", key))
                .run();
    }

    @Idempotent(scope = "every-lease", key = "#key", mode = IdempotencyMode.LEASED)
    public String lease(String key, Order order) {
        IdempotencyContext call = IdempotencyContext.current();
        String reserved = call.step("reserve", String.class, () -> write(key, "reserve"));
        call.stepInTransaction("charge", () -> write(key, "charge"));
        return reserved + call.downstreamKey("provider");
    }

    @Transactional
    @Idempotent(scope = "every-lease-in-transaction", key = "#key", mode = IdempotencyMode.LEASED)
    public void leaseInTransaction(String key) {
        write(key, "leased");
    }

    static final AtomicReference<Runnable> FIRST_ATTEMPT = new AtomicReference<>(() -> {
        throw new IllegalStateException("provider down");
    });

    /** Fails at first, or does not end. */
    @Idempotent(scope = "every-resume", key = "#key", mode = IdempotencyMode.LEASED, lease = "1s", resume = true)
    public void resume(String key, Order order) {
        if (IdempotencyContext.current().attempt() == 1) {
            FIRST_ATTEMPT.get().run();
            return;
        }
        write(key, "resumed");
    }

    @Idempotent(scope = "every-final", key = "#key", finalFailures = IllegalArgumentException.class)
    public void failFinally(String key) {
        throw new IllegalArgumentException("no");
    }

    @Transactional
    @IdempotentReceiver(consumer = "every-receiver", messageId = "#id", payload = "#order")
    public void receive(String id, Order order) {
        write(id, "received");
    }

    @Transactional
    public UUID publish(String key) {
        write(key, "published");
        return outbox.publish(OutboxMessage.of("every-topic", "Order")
                .orderingKey(key)
                .payload(Order.example())
                .build());
    }

    @OutboxHandler(topic = "every-topic", consumer = "every-handler")
    public void handle(OutboxRecord message, Order order) {
        write(String.valueOf(message.orderingKey()), "handled " + order.equals(Order.example()));
    }

    @Transactional
    @Idempotent(scope = "every-http", key = "#key")
    @PostMapping("/every")
    public Order post(@IdempotencyKeyHeader IdempotencyKey key, @RequestBody Order order) {
        write(key.value(), "posted");
        return order;
    }

    private String write(String key, String effect) {
        jdbc.update("insert into feature values (?, ?)", key, effect);
        return effect;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Configured {}
}
