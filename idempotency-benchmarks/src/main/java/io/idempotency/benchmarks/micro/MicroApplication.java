package io.idempotency.benchmarks.micro;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.Idempotent;
import io.idempotency.IdempotentReceiver;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.operation.RetentionPolicy;

/** An application with the starter and no database. */
final class MicroApplication implements AutoCloseable {

    private @Nullable ConfigurableApplicationContext context;

    private @Nullable Orders orders;

    void start() {
        ConfigurableApplicationContext started = new SpringApplicationBuilder(Configured.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .run();
        context = started;
        orders = started.getBean(Orders.class);
    }

    Orders orders() {
        return Objects.requireNonNull(orders);
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
        }
    }

    static RetentionPolicy retention() {
        return new RetentionPolicy(
                Duration.ofHours(1), Duration.ofDays(7), null, Duration.ofMinutes(1), Duration.ofDays(14), Map.of());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        IdempotencyAutoConfiguration.class,
        IdempotencyLoggingAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class Configured {

        @Bean
        static BeanPostProcessor noOpStores() {
            NoOpClaimStore store =
                    new NoOpClaimStore(JsonMapper.builder().build().writeValueAsString(Order.ONE));
            InboxStore inboxStore = new NoOpInboxStore();
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof ClaimStore) {
                        return store;
                    }
                    return bean instanceof InboxStore ? inboxStore : bean;
                }
            };
        }

        @Bean
        DataSource dataSource() {
            return new NoOpDataSource();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    /** Does nothing in a transaction. */
    static class Orders {

        @Transactional
        public Order plain(String key, Order order) {
            return order;
        }

        @Idempotent(scope = "orders", key = "#key", fingerprint = "#order")
        @Transactional
        public Order pay(String key, Order order) {
            return order;
        }

        @Idempotent(scope = "orders-void", key = "#key", fingerprint = "#order")
        @Transactional
        public void payVoid(String key, Order order) {
            // The call is all there is.
        }

        @IdempotentReceiver(consumer = "orders", messageId = "#messageId")
        @Transactional
        public void receive(String messageId, Order order) {
            // The receipt is all there is.
        }
    }
}
