package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.internal.fingerprint.StateModule;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Publishes messages in transactions, as an application does. */
final class Publisher {

    static final Duration RETENTION = Duration.ofDays(3);

    final OutboxStore store;

    final Outbox outbox;

    final TransactionTemplate transaction;

    final JdbcTemplate jdbc;

    /** How often a commit woke the relay. */
    final AtomicInteger wakes = new AtomicInteger();

    Publisher(DataSource dataSource) {
        this(dataSource, 64);
    }

    Publisher(DataSource dataSource, int lanes) {
        JdbcTransactionManager transactionManager = new JdbcTransactionManager(dataSource);
        PostgresMessageStorage storage = new PostgresMessageStorage(dataSource, "idempotency");
        store = storage.outboxStore(RETENTION, "shop");
        transaction = new TransactionTemplate(transactionManager);
        jdbc = new JdbcTemplate(dataSource);
        outbox = new OutboxTemplate(
                store,
                topic -> {},
                new JoinedTransactions(dataSource, transactionManager)::onOpenConnection,
                new JacksonResponseCodec(StateModule.addTo(new JsonMapper())),
                new Lanes(lanes),
                1_000,
                () -> Map.of("trace", "of-the-publisher"),
                wakes::incrementAndGet);
    }

    static OutboxMessage message(String orderingKey, Object payload) {
        OutboxMessage.Builder message =
                OutboxMessage.of("orders", "OrderPlaced").payload(payload);
        return (orderingKey == null ? message : message.orderingKey(orderingKey)).build();
    }

    UUID publish(OutboxMessage message) {
        return transaction.execute(status -> outbox.publish(message));
    }

    UUID publish(String orderingKey, Object payload) {
        return publish(message(orderingKey, payload));
    }

    /** On another connection than that of the thread's transaction. */
    void publishInAnotherThread(OutboxMessage message) {
        java.util.concurrent.CompletableFuture.runAsync(() -> publish(message)).join();
    }

    /** Each message as payload and status, in the order of publishing. */
    static List<String> states(JdbcTemplate jdbc) {
        return jdbc.queryForList(
                "select payload || ' ' || status from idempotency.outbox_event order by sequence", String.class);
    }
}
