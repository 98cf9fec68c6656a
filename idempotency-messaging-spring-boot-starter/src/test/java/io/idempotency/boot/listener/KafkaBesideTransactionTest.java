package io.idempotency.boot.listener;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.FixedBackOff;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What Spring Kafka acknowledges and sends, of which the transaction of a listener knows nothing. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class KafkaBesideTransactionTest {

    private static final String WITHIN = "within";

    private static final String AFTERWARDS = "afterwards";

    private static final String QUESTIONS = "questions";

    private static final String ANSWERS = "answers";

    private final TestDatabase database;

    @AutoClose
    private KafkaBroker broker;

    private ConfigurableApplicationContext application;

    KafkaBesideTransactionTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        Wallets.createTables(database.jdbc());
        broker = KafkaBroker.start(1, WITHIN, WITHIN + "-dlt", AFTERWARDS, AFTERWARDS + "-dlt", QUESTIONS, ANSWERS);
        application = JdbcTestApplication.start(
                database,
                new Class<?>[] {Kafka.class, Wallets.class, Batches.class, Listener.class, Seen.class},
                "spring.kafka.bootstrap-servers=" + broker.address(),
                "spring.kafka.consumer.group-id=beside",
                "spring.kafka.listener.auto-startup=false",
                "spring.kafka.consumer.auto-offset-reset=earliest");
        for (String topic : List.of(WITHIN, AFTERWARDS)) {
            IntStream.range(0, 5).forEach(number -> send(topic, topic + "-" + number, number == 2 ? -1 : 1));
        }
        send(QUESTIONS, "asked", 1);
        send(QUESTIONS, "asked", 1);
        send(QUESTIONS, "asked next", 1);
        // Not before, so that one batch has all five.
        application.getBean(KafkaListenerEndpointRegistry.class).start();
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @SuppressWarnings("unchecked")
    private void send(String topic, String id, long cents) {
        application
                .getBean(KafkaTemplate.class)
                .send(new Deposit(id, topic, cents).toRecord(topic))
                .join();
    }

    /** The messages before the failed one count as consumed, though their effects are rolled back. */
    @Test
    void aBatchThatNamesItsFailedMessageInItsTransactionLosesTheOnesBefore() {
        awaitEntries(WITHIN, WITHIN + "-3", WITHIN + "-4");

        awaitDead(WITHIN + "-2");
    }

    @Test
    void aBatchThatNamesItsFailedMessageAfterTheCommitOfTheOnesBeforeLosesNone() {
        awaitEntries(AFTERWARDS, AFTERWARDS + "-0", AFTERWARDS + "-1", AFTERWARDS + "-3", AFTERWARDS + "-4");

        awaitDead(AFTERWARDS + "-2");
    }

    @Test
    void aDuplicateHasNoReply() {
        Seen seen = application.getBean(Seen.class);
        Awaitility.await().until(() -> seen.answers.contains("asked next"));

        assertThat(seen.answers).containsExactly("asked", "asked next");
    }

    private void awaitEntries(String account, String... messages) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(database.jdbc()
                                .queryForList(
                                        "select message_id from wallet_entry where account = ? order by 1",
                                        String.class,
                                        account))
                        .containsExactly(messages));
        Awaitility.await().until(() -> broker.isDrained("beside"));
    }

    private void awaitDead(String message) {
        Seen seen = application.getBean(Seen.class);
        Awaitility.await().until(() -> seen.dead.contains(message));
    }

    static class Seen {

        private final List<String> dead = new CopyOnWriteArrayList<>();

        private final List<String> answers = new CopyOnWriteArrayList<>();

        @KafkaListener(topics = {WITHIN + "-dlt", AFTERWARDS + "-dlt"})
        public void putAside(ConsumerRecord<String, String> record) {
            dead.add(Deposit.idOf(record));
        }

        @KafkaListener(topics = ANSWERS)
        public void take(String answer) {
            answers.add(answer);
        }
    }

    static class Listener {

        private final Batches batches;

        Listener(Batches batches) {
            this.batches = batches;
        }

        @KafkaListener(topics = AFTERWARDS, batch = "true")
        public void receive(List<ConsumerRecord<String, String>> records) {
            int failed = IntStream.range(0, records.size())
                    .filter(index -> Deposit.of(records.get(index)).cents() < 0)
                    .findFirst()
                    .orElse(records.size());
            batches.receive(records.subList(0, failed));
            if (failed < records.size()) {
                throw new BatchListenerFailedException("a deposit takes money", records.get(failed));
            }
        }
    }

    static class Batches {

        private final Wallets wallets;

        private final Inbox inbox;

        Batches(Wallets wallets, Inbox inbox) {
            this.wallets = wallets;
            this.inbox = inbox;
        }

        @KafkaListener(topics = WITHIN, batch = "true")
        @Transactional
        public void receive(List<ConsumerRecord<String, String>> records) {
            for (ConsumerRecord<String, String> record : inbox.claimNew("batches", records, Deposit::idOf)) {
                if (Deposit.of(record).cents() < 0) {
                    throw new BatchListenerFailedException("a deposit takes money", record);
                }
                wallets.deposit(Deposit.of(record));
            }
        }

        @KafkaListener(topics = QUESTIONS)
        @SendTo(ANSWERS)
        @Transactional
        @IdempotentReceiver(consumer = "questions", messageId = "#messageId")
        public String ask(String question, @Header(Deposit.MESSAGE_ID) String messageId) {
            return messageId;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Kafka {

        @Bean
        DefaultErrorHandler errorHandler(KafkaTemplate<?, ?> template) {
            return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(10, 1));
        }
    }
}
