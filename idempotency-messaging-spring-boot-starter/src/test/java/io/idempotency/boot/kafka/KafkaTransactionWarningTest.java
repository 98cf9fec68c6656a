package io.idempotency.boot.kafka;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A Kafka transaction around an idempotent listener is told at start-up. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class KafkaTransactionWarningTest {

    private static final String WARNING = "handles messages idempotently in a Kafka transaction";

    private final TestDatabase database;

    KafkaTransactionWarningTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void eachIdempotentListenerInAKafkaTransactionIsNamed(CapturedOutput output) {
        start("spring.kafka.producer.transaction-id-prefix=tx").close();

        assertThat(output.getOut().lines().filter(line -> line.contains(WARNING)))
                .hasSize(4)
                .anyMatch(line -> line.contains("WARN")
                        && line.contains(Listeners.class.getName() + ".receive(String)")
                        && line.contains("container factory kafkaListenerContainerFactory has")
                        && line.contains("Publish with the Outbox instead"))
                .anyMatch(line -> line.contains("The Kafka listener " + Handlers.class.getName() + " handles"))
                .anyMatch(line -> line.contains(Batches.class.getName() + ".receive(String)"))
                .anyMatch(line -> line.contains(Delegating.class.getName() + ".receive(String)"));
    }

    @Test
    void nothingIsToldWithoutKafkaTransactions(CapturedOutput output) {
        start("spring.kafka.client-id=plain").close();

        assertThat(output.getOut()).doesNotContain(WARNING);
    }

    private ConfigurableApplicationContext start(String property) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {
                    Kafka.class, Listeners.class, Handlers.class, Batches.class, Service.class, Delegating.class
                },
                "spring.kafka.listener.auto-startup=false",
                "spring.kafka.consumer.group-id=warned",
                "plain.factory=plainFactory",
                property);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({KafkaAutoConfiguration.class, IdempotencyKafkaListenerAutoConfiguration.class})
    static class Kafka {

        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> plainFactory(
                ConsumerFactory<Object, Object> consumers) {
            ConcurrentKafkaListenerContainerFactory<Object, Object> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(consumers);
            factory.setAutoStartup(false);
            return factory;
        }
    }

    static class Listeners {

        @KafkaListener(topics = "received")
        @IdempotentReceiver(consumer = "received", messageId = "#message")
        public void receive(String message) {}

        @KafkaListener(topics = "plain", containerFactory = "${plain.factory}")
        @IdempotentReceiver(consumer = "plain", messageId = "#message")
        public void receiveWithoutTransaction(String message) {}

        @KafkaListener(topics = "others")
        public void receiveWithoutKey(String message) {}
    }

    @KafkaListener(topics = "handled")
    static class Handlers {

        @KafkaHandler
        @Idempotent(scope = "handled", key = "#message")
        public void receive(String message) {}
    }

    static class Batches {

        private final Inbox inbox;

        Batches(Inbox inbox) {
            this.inbox = inbox;
        }

        @KafkaListener(topics = "batches")
        public void receive(String message) {
            inbox.handleOnce("batches", message, () -> {});
        }
    }

    static class Service {

        @IdempotentReceiver(consumer = "service", messageId = "#message")
        public void receive(String message) {}
    }

    static class Delegating {

        private final Service service;

        Delegating(Service service) {
            this.service = service;
        }

        @KafkaListener(topics = "delegated")
        public void receive(String message) {
            service.receive(message);
        }
    }
}
