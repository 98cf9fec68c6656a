package io.idempotency.boot.listener;

import java.util.Map;
import java.util.stream.IntStream;

import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that are sent twice and redelivered after failures, to consumers that compete for them. */
@PostgresTest
@Tag("full")
class JmsListenerTest {

    private static final String QUEUE = "deposits";

    private static final String DEAD_LETTERS = "dead-letters";

    private static final String MESSAGE_ID = "message_id";

    private static final int MESSAGES = 100;

    private final TestDatabase database;

    JmsListenerTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    @Tag("race")
    void aMessageThatIsSentTwiceAndRedeliveredHasOneEffect() throws Exception {
        Wallets.createTables(database.jdbc());
        Wallets wallets = new Wallets(database.jdbc());
        EmbeddedActiveMQ broker = startBroker();
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database, new Class<?>[] {Jms.class, Wallets.class, FailingAtFirst.class, Listener.class})) {
            JmsTemplate template = application.getBean(JmsTemplate.class);
            IntStream.range(0, 2 * MESSAGES)
                    .mapToObj(number -> "m-" + number % MESSAGES)
                    .forEach(id -> send(template, id));
            send(template, " ");

            Awaitility.await().until(() -> wallets.handled() == MESSAGES);
            Awaitility.await().until(() -> count(broker, QUEUE) == 0);
            application.getBean(JmsListenerEndpointRegistry.class).stop();

            assertThat(count(broker, DEAD_LETTERS)).as("messages without an id").isOne();
            assertThat(wallets.entries()).isEqualTo(MESSAGES);
            assertThat(wallets.balances()).isEqualTo(Map.of("account", 5L * MESSAGES));
            assertThat(application.getBean(FailingAtFirst.class).failures).hasValue(MESSAGES);
        } finally {
            broker.stop();
        }
    }

    private static void send(JmsTemplate template, String id) {
        template.convertAndSend(QUEUE, "5", message -> {
            message.setStringProperty(MESSAGE_ID, id);
            return message;
        });
    }

    private static long count(EmbeddedActiveMQ broker, String queue) {
        return broker.getActiveMQServer().locateQueue(SimpleString.of(queue)).getMessageCount();
    }

    private static EmbeddedActiveMQ startBroker() throws Exception {
        ConfigurationImpl configuration = new ConfigurationImpl();
        configuration.setPersistenceEnabled(false);
        configuration.setSecurityEnabled(false);
        configuration.addAcceptorConfiguration("in-vm", "vm://0");
        configuration.addQueueConfiguration(
                QueueConfiguration.of(QUEUE).setAddress(QUEUE).setRoutingType(RoutingType.ANYCAST));
        configuration.addQueueConfiguration(
                QueueConfiguration.of(DEAD_LETTERS).setAddress(DEAD_LETTERS).setRoutingType(RoutingType.ANYCAST));
        configuration.addAddressSetting(
                QUEUE,
                new AddressSettings().setMaxDeliveryAttempts(5).setDeadLetterAddress(SimpleString.of(DEAD_LETTERS)));
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
        broker.setConfiguration(configuration);
        broker.start();
        return broker;
    }

    static class Listener {

        private final FailingAtFirst deposits;

        Listener(FailingAtFirst deposits) {
            this.deposits = deposits;
        }

        @JmsListener(destination = QUEUE, concurrency = "4")
        @Transactional
        @IdempotentReceiver(consumer = "jms-deposits", messageId = "#messageId")
        public void receive(String cents, @Header(MESSAGE_ID) String messageId) {
            deposits.deposit(new Deposit(messageId, "account", Long.parseLong(cents)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJms
    static class Jms {

        @Bean
        ConnectionFactory jmsConnections() {
            return new ActiveMQConnectionFactory("vm://0");
        }

        @Bean
        JmsTemplate jmsTemplate(ConnectionFactory connections) {
            return new JmsTemplate(connections);
        }

        @Bean
        DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections) {
            DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setSessionTransacted(true);
            return factory;
        }
    }
}
