package io.idempotency.boot.listener;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePropertiesBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotentReceiver;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages as the container of Spring AMQP gives them to its listener, many at once. The container is not started, so no
 * broker is there: what it would call is called.
 */
@PostgresTest
@Tag("full")
class RabbitListenerTest {

    private static final String LISTENER = "rabbit";

    private static final int MESSAGES = 20;

    private static final int DELIVERIES = 4 * MESSAGES;

    private final TestDatabase database;

    RabbitListenerTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    @Tag("race")
    void aMessageThatIsDeliveredAgainAndAgainHasOneEffect() {
        Wallets.createTables(database.jdbc());
        Wallets wallets = new Wallets(database.jdbc());
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database, new Class<?>[] {Rabbit.class, Wallets.class, FailingAtFirst.class, Listener.class})) {
            ChannelAwareMessageListener listener = (ChannelAwareMessageListener) application
                    .getBean(RabbitListenerEndpointRegistry.class)
                    .getListenerContainer(LISTENER)
                    .getMessageListener();

            deliverEachManyTimes(listener);
            deliverEachManyTimes(listener);

            assertThat(wallets.entries()).isEqualTo(MESSAGES);
            assertThat(wallets.balances()).isEqualTo(Map.of("account", 5L * MESSAGES));
            assertThat(application.getBean(FailingAtFirst.class).failures).hasValueGreaterThanOrEqualTo(MESSAGES);
        }
    }

    private static void deliverEachManyTimes(ChannelAwareMessageListener listener) {
        List<Message> messages = IntStream.range(0, DELIVERIES)
                .mapToObj(number -> message("m-" + number % MESSAGES))
                .toList();
        ConcurrentCalls.run(DELIVERIES, delivery -> {
            listener.onMessage(messages.get(delivery), null);
            return delivery;
        });
    }

    private static Message message(String id) {
        return new Message(
                "5".getBytes(UTF_8),
                MessagePropertiesBuilder.newInstance()
                        .setContentType("text/plain")
                        .setMessageId(id)
                        .build());
    }

    static class Listener {

        private final FailingAtFirst deposits;

        Listener(FailingAtFirst deposits) {
            this.deposits = deposits;
        }

        @RabbitListener(id = LISTENER, queues = "deposits")
        @Transactional
        @IdempotentReceiver(consumer = "rabbit-deposits", messageId = "#messageId")
        public void receive(String cents, @Header(AmqpHeaders.MESSAGE_ID) String messageId) {
            deposits.deposit(new Deposit(messageId, "account", Long.parseLong(cents)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    static class Rabbit {

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(new CachingConnectionFactory("localhost"));
            factory.setAutoStartup(false);
            return factory;
        }
    }
}
