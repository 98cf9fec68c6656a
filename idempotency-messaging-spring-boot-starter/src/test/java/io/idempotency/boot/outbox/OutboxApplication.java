package io.idempotency.boot.outbox;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.TestDatabase;

/** A running application with an outbox, and what its database holds. */
final class OutboxApplication implements AutoCloseable {

    private final TestDatabase database;

    private final ConfigurableApplicationContext context;

    private OutboxApplication(TestDatabase database, ConfigurableApplicationContext context) {
        this.database = database;
        this.context = context;
    }

    static OutboxApplication start(TestDatabase database, List<Class<?>> beans, String... properties) {
        Shop.createTables(database.jdbc());
        List<Class<?>> all = new ArrayList<>(beans);
        all.add(Shop.class);
        all.add(Configured.class);
        List<String> settings = new ArrayList<>(
                List.of("idempotency.outbox.backoff.delay=10ms", "idempotency.outbox.backoff.max-delay=200ms"));
        settings.addAll(Arrays.asList(properties));
        return new OutboxApplication(
                database,
                JdbcTestApplication.start(database, all.toArray(Class<?>[]::new), settings.toArray(String[]::new)));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    Shop shop() {
        return bean(Shop.class);
    }

    /** Each message with its status, in the order of publishing. */
    List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select coalesce(payload->>'number', 'unknown') || ' ' || status from idempotency.outbox_event order by sequence",
                        String.class);
    }

    List<String> invoices() {
        return database.jdbc().queryForList("select number || ' ' || consumer from invoice order by 1", String.class);
    }

    void clear() {
        database.jdbc()
                .execute("truncate placed_order, invoice, idempotency.outbox_event, idempotency.idempotency_request,"
                        + " idempotency.processed_message, idempotency.message_failure");
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Configured {}
}
