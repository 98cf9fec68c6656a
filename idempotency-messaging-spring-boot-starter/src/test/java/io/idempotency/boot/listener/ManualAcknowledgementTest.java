package io.idempotency.boot.listener;

import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerRecord;
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
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.FixedBackOff;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A listener that acknowledges by hand when its receiver has returned loses no message, and acknowledges duplicates. */
@PostgresTest
@Tag("full")
class ManualAcknowledgementTest {

    private static final String TOPIC = "deposits-by-hand";

    private static final String GROUP = "by-hand";

    private final TestDatabase database;

    ManualAcknowledgementTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void aMessageWhoseCommitFailsComesAgainAndADuplicateIsAcknowledged() {
        Wallets.createTables(database.jdbc());
        failTheFirstCommit();
        try (KafkaBroker broker = KafkaBroker.start(1, TOPIC);
                ConfigurableApplicationContext application = JdbcTestApplication.start(
                        database,
                        new Class<?>[] {Kafka.class, Wallets.class, Receiver.class, Listener.class},
                        "spring.kafka.bootstrap-servers=" + broker.address(),
                        "spring.kafka.consumer.group-id=" + GROUP,
                        "spring.kafka.consumer.auto-offset-reset=earliest",
                        "spring.kafka.listener.ack-mode=manual")) {
            for (int i = 0; i < 2; i++) {
                send(application, new Deposit("m-1", "account", 5));
            }

            Awaitility.await().until(() -> broker.isDrained(GROUP));

            assertThat(new Wallets(database.jdbc()).balances()).isEqualTo(Map.of("account", 5L));
            assertThat(database.jdbc().queryForObject("select last_value from commits", Long.class))
                    .isEqualTo(2);
        }
    }

    /** A rollback does not set a sequence back. */
    private void failTheFirstCommit() {
        database.jdbc().execute("""
                create sequence commits;
                create function fail_first() returns trigger language plpgsql as
                    'begin if nextval(''commits'') = 1 then raise ''the first commit fails''; end if; return null; end';
                create constraint trigger fail_first after insert on wallet_entry
                    deferrable initially deferred for each row execute function fail_first()""");
    }

    @SuppressWarnings("unchecked")
    private static void send(ConfigurableApplicationContext application, Deposit deposit) {
        application.getBean(KafkaTemplate.class).send(deposit.toRecord(TOPIC)).join();
    }

    static class Receiver {

        private final Wallets wallets;

        Receiver(Wallets wallets) {
            this.wallets = wallets;
        }

        @Transactional
        @IdempotentReceiver(consumer = "by-hand", messageId = "#deposit.id")
        public void receive(Deposit deposit) {
            wallets.deposit(deposit);
        }
    }

    static class Listener {

        private final Receiver receiver;

        Listener(Receiver receiver) {
            this.receiver = receiver;
        }

        @KafkaListener(topics = TOPIC)
        public void listen(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
            receiver.receive(Deposit.of(record));
            acknowledgment.acknowledge();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Kafka {

        @Bean
        DefaultErrorHandler errorHandler() {
            return new DefaultErrorHandler(new FixedBackOff(10, FixedBackOff.UNLIMITED_ATTEMPTS));
        }
    }
}
