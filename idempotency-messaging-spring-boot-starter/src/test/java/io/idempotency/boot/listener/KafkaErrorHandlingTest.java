package io.idempotency.boot.listener;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.FixedBackOff;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Redelivery;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What an error handler with the library's classification delivers again, and what it puts aside at once. */
@PostgresTest
@Tag("full")
class KafkaErrorHandlingTest {

    private static final String TOPIC = "checked-deposits";

    private static final String DEAD_LETTERS = TOPIC + "-dlt";

    private final TestDatabase database;

    KafkaErrorHandlingTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void whatNoRedeliveryHelpsIsPutAsideAtOnceAndTheRestIsDeliveredAgain() {
        Wallets.createTables(database.jdbc());
        Wallets wallets = new Wallets(database.jdbc());
        try (KafkaBroker broker = KafkaBroker.start(1, TOPIC, DEAD_LETTERS);
                ConfigurableApplicationContext application = JdbcTestApplication.start(
                        database,
                        new Class<?>[] {
                            Kafka.class, Wallets.class, FailingAtFirst.class, Listener.class, Deliveries.class
                        },
                        "spring.kafka.bootstrap-servers=" + broker.address(),
                        "spring.kafka.consumer.group-id=checked",
                        "spring.kafka.consumer.auto-offset-reset=earliest")) {
            Deliveries deliveries = application.getBean(Deliveries.class);
            send(application, new Deposit("m-1", "account", 5));
            send(application, new Deposit("m-1", "account", 7));
            send(application, new Deposit(" ", "account", 11));
            send(application, new Deposit("m-2", "account", 13));

            Awaitility.await().until(() -> wallets.handled() == 2 && deliveries.deadLetters.size() == 2);

            assertThat(wallets.balances()).isEqualTo(Map.of("account", 18L));
            assertThat(deliveries.outcomes)
                    .containsExactly(
                            MessageOutcome.FAILED,
                            MessageOutcome.HANDLED,
                            MessageOutcome.CONFLICT,
                            MessageOutcome.INVALID_ID,
                            MessageOutcome.FAILED,
                            MessageOutcome.HANDLED);
            assertThat(deliveries.deadLetters).containsExactly("7", "11");
        }
    }

    @SuppressWarnings("unchecked")
    private static void send(ConfigurableApplicationContext application, Deposit deposit) {
        ProducerRecord<String, String> message = deposit.toRecord(TOPIC);
        application.getBean(KafkaTemplate.class).send(message).join();
    }

    static class Deliveries implements MessagingListener {

        final List<MessageOutcome> outcomes = new CopyOnWriteArrayList<>();

        final List<String> deadLetters = new CopyOnWriteArrayList<>();

        @Override
        public void messageReceived(MessageReceived event) {
            outcomes.add(event.outcome());
        }

        @KafkaListener(topics = DEAD_LETTERS)
        public void putAside(ConsumerRecord<String, String> record) {
            deadLetters.add(record.value());
        }
    }

    static class Listener {

        private final FailingAtFirst deposits;

        Listener(FailingAtFirst deposits) {
            this.deposits = deposits;
        }

        @KafkaListener(topics = TOPIC)
        @Transactional
        @IdempotentReceiver(consumer = "checked-deposits", messageId = "#messageId", payload = "#record.value()")
        public void receive(ConsumerRecord<String, String> record, @Header(Deposit.MESSAGE_ID) String messageId) {
            deposits.deposit(Deposit.of(record));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Kafka {

        @Bean
        DefaultErrorHandler errorHandler(KafkaTemplate<?, ?> template) {
            DefaultErrorHandler handler = new DefaultErrorHandler(
                    new DeadLetterPublishingRecoverer(template), new FixedBackOff(10, FixedBackOff.UNLIMITED_ATTEMPTS));
            handler.setBackOffFunction(
                    (record, failure) -> Redelivery.isWorthwhile(failure) ? null : new FixedBackOff(0, 0));
            return handler;
        }
    }
}
