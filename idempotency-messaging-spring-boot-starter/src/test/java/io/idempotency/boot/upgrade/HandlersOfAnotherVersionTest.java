package io.idempotency.boot.upgrade;

import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Messages that only one of two running versions can handle. */
@PostgresTest(empty = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HandlersOfAnotherVersionTest {

    private static final int MESSAGES = 300;

    private final TestDatabase database;

    private final ConfigurableApplicationContext older;

    private final ConfigurableApplicationContext newer;

    HandlersOfAnotherVersionTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("create table handled (by_version text, message_id uuid)");
        older = start(Older.class);
        newer = start(Newer.class);
    }

    private ConfigurableApplicationContext start(Class<?> handlers) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {handlers, Configured.class},
                "idempotency.outbox.poll-interval=20ms",
                "idempotency.outbox.max-attempts=2",
                "idempotency.outbox.backoff.delay=10ms",
                "idempotency.outbox.backoff.max-delay=100ms");
    }

    @AfterAll
    void stop() {
        older.close();
        newer.close();
    }

    @Test
    void areHandledByThatOneAndNoneIsDead() {
        Outbox outbox = older.getBean(Outbox.class);
        TransactionTemplate transaction = new TransactionTemplate(older.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> IntStream.range(0, MESSAGES).forEach(i -> {
            String topic = i % 3 == 0 ? "invoices" : "orders";
            outbox.publish(OutboxMessage.of(topic, "Placed")
                    .orderingKey("customer-" + i % 7)
                    .payload(i % 3 == 1 ? new NewOrder(new Item("book")) : new OldOrder("book"))
                    .build());
        }));

        await().until(() -> count("select count(*) from idempotency.outbox_event where status = 'pending'") == 0);
        assertThat(count("select count(*) from idempotency.outbox_event where status = 'sent' and attempt_count = 1"))
                .isEqualTo(MESSAGES);
        assertThat(count("select count(distinct message_id) from handled")).isEqualTo(MESSAGES);
        assertThat(count("select count(*) from handled join idempotency.outbox_event using (message_id)"
                        + " where by_version = 'older' and (topic = 'invoices' or payload::text like '%name%')"))
                .isZero();
    }

    private int count(String sql) {
        Integer count = database.jdbc().queryForObject(sql, Integer.class);
        return count == null ? 0 : count;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Configured {}

    record OldOrder(String item) {}

    record Item(String name) {}

    record NewOrder(Item item) {}

    static class Older {

        private final JdbcTemplate jdbc;

        Older(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxHandler(topic = "orders")
        public void handle(OldOrder order, OutboxRecord message) {
            jdbc.update("insert into handled values ('older', ?)", message.id());
        }
    }

    static class Newer {

        private final JdbcTemplate jdbc;

        Newer(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxHandler(topic = "orders")
        public void handle(Map<String, Object> order, OutboxRecord message) {
            jdbc.update("insert into handled values ('newer', ?)", message.id());
        }

        @OutboxHandler(topic = "invoices")
        public void invoice(OutboxRecord message) {
            jdbc.update("insert into handled values ('newer', ?)", message.id());
        }
    }
}
