package io.idempotency.boot.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.kafka.clients.consumer.Consumer;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.util.backoff.FixedBackOff;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.Redelivery;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.test.TestDatabase;

/** One application of a consumer group. It can be stopped, and it forgets to tell the broker how far it got. */
final class KafkaGroupMember implements AutoCloseable {

    static final String LISTENER = "deposits";

    static final int MOST_POLLED = 50;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ConfigurableApplicationContext context;

    private final MessageListenerContainer container;

    private KafkaGroupMember(ConfigurableApplicationContext context) {
        this.context = context;
        this.container = context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer(LISTENER);
        container.getContainerProperties().setStopImmediate(true);
    }

    static KafkaGroupMember start(TestDatabase database, KafkaBroker broker, String group, Class<?> listener) {
        return new KafkaGroupMember(JdbcTestApplication.start(
                database,
                new Class<?>[] {Kafka.class, Wallets.class, Deliveries.class, listener},
                "spring.kafka.bootstrap-servers=" + broker.address(),
                "spring.kafka.consumer.group-id=" + group,
                "spring.kafka.consumer.auto-offset-reset=earliest",
                "spring.kafka.consumer.heartbeat-interval=100ms",
                // The shortest that the broker allows: it waits so long for a member that left without a word.
                "spring.kafka.consumer.properties.[session.timeout.ms]=6000",
                "spring.kafka.consumer.max-poll-records=" + MOST_POLLED));
    }

    /** Leaves the group in the middle of what it has polled, and joins it again. */
    void restart() {
        container.stop();
        Awaitility.await().atMost(PATIENCE).until(() -> !container.isRunning() && !container.isChildRunning());
        container.start();
    }

    Deliveries deliveries() {
        return context.getBean(Deliveries.class);
    }

    @Override
    public void close() {
        context.close();
    }

    /** How many messages came, and how many commits of offsets were lost. */
    static class Deliveries implements MessagingListener {

        final AtomicInteger received = new AtomicInteger();

        final AtomicInteger lostCommits = new AtomicInteger();

        final AtomicBoolean losesCommits = new AtomicBoolean(true);

        @Override
        public void messageReceived(MessageReceived event) {
            received.incrementAndGet();
        }

        /** Half of the commits never reach the broker, as those of a process that dies between effect and commit. */
        @SuppressWarnings("unchecked")
        <K, V> Consumer<K, V> forgetful(Consumer<K, V> consumer) {
            return (Consumer<K, V>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                        if (method.getName().startsWith("commit")
                                && losesCommits.get()
                                && ThreadLocalRandom.current().nextBoolean()) {
                            lostCommits.incrementAndGet();
                            return null;
                        }
                        try {
                            return method.invoke(consumer, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Kafka {

        @Bean
        DefaultKafkaConsumerFactoryCustomizer forgetfulConsumers(Deliveries deliveries) {
            return factory -> factory.addPostProcessor(deliveries::forgetful);
        }

        @Bean
        DefaultErrorHandler errorHandler() {
            DefaultErrorHandler handler =
                    new DefaultErrorHandler(new FixedBackOff(10, FixedBackOff.UNLIMITED_ATTEMPTS));
            handler.setBackOffFunction(
                    (record, failure) -> Redelivery.isWorthwhile(failure) ? null : new FixedBackOff(0, 0));
            return handler;
        }
    }
}
