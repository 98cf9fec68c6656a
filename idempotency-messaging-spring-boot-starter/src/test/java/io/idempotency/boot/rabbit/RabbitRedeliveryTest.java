package io.idempotency.boot.rabbit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Redelivery;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A broker delivers again what may succeed, and moves what cannot to another queue. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class RabbitRedeliveryTest {

    private static final String QUEUE = "deposits";

    private static final String DEAD = "dead-deposits";

    private final TestDatabase database;

    private RabbitBroker broker;

    private ConfigurableApplicationContext application;

    private RabbitTemplate template;

    RabbitRedeliveryTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start(@TempDir Path directory) {
        broker = RabbitBroker.start(directory);
        database.jdbc().execute("create table deposit (cents bigint not null)");
        application = JdbcTestApplication.start(
                database, new Class<?>[] {Application.class, Deposits.class}, "spring.rabbitmq.port=" + broker.port());
        template = application.getBean(RabbitTemplate.class);
        template.setReceiveTimeout(30_000);
    }

    @AfterAll
    void stop() {
        if (application != null) {
            application.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void clear() {
        database.jdbc().execute("truncate deposit");
        application.getBean(Deposits.class).failAgain();
    }

    @Test
    void aMessageThatFailsComesAgainAndHasOneEffect() {
        template.send(QUEUE, deposit("m-1", "5"));
        template.send(QUEUE, deposit("m-1", "5"));
        template.send(QUEUE, deposit("m-2", "7"));

        Awaitility.await().until(() -> deposited() == 12);
        assertThat(application.getBean(Deposits.class).attempts()).isEqualTo(3);
    }

    @Test
    void aMessageWithoutAnIdIsMoved() {
        template.send(QUEUE, deposit(null, "5"));

        assertThat(template.receive(DEAD)).isNotNull();
        assertThat(deposited()).isZero();
    }

    @Test
    void aMessageThatCannotBeReadIsMoved() {
        template.send(QUEUE, deposit("m-3", "five"));

        assertThat(template.receive(DEAD)).isNotNull();
        assertThat(deposited()).isZero();
    }

    private long deposited() {
        return database.jdbc().queryForObject("select coalesce(sum(cents), 0) from deposit", Long.class);
    }

    private static Message deposit(String id, String cents) {
        MessageProperties properties = new MessageProperties();
        properties.setContentType(MessageProperties.CONTENT_TYPE_TEXT_PLAIN);
        properties.setMessageId(id);
        return new Message(cents.getBytes(StandardCharsets.UTF_8), properties);
    }

    static class Deposits {

        private final JdbcTemplate jdbc;

        private final AtomicInteger attempts = new AtomicInteger();

        Deposits(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        public void failAgain() {
            attempts.set(0);
        }

        public int attempts() {
            return attempts.get();
        }

        /** Fails at first. */
        @RabbitListener(queues = QUEUE)
        @Transactional
        @IdempotentReceiver(consumer = "deposits", messageId = "#messageId")
        public void receive(long cents, @Header(AmqpHeaders.MESSAGE_ID) String messageId) {
            jdbc.update("insert into deposit values (?)", cents);
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("no ledger");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    @ImportAutoConfiguration(RabbitAutoConfiguration.class)
    static class Application {

        @Bean
        Queue deposits() {
            return QueueBuilder.durable(QUEUE)
                    .deadLetterExchange("")
                    .deadLetterRoutingKey(DEAD)
                    .build();
        }

        @Bean
        Queue dead() {
            return new Queue(DEAD);
        }

        @Bean
        ContainerCustomizer<SimpleMessageListenerContainer> rejecting() {
            return container -> container.setErrorHandler(Application::reject);
        }

        private static void reject(Throwable failure) {
            Throwable cause = failure.getCause();
            boolean isUnreadable = cause instanceof MessageConversionException || cause instanceof MessagingException;
            if (isUnreadable || !Redelivery.isWorthwhile(failure)) {
                throw new AmqpRejectAndDontRequeueException("No redelivery helps", failure);
            }
        }
    }
}
