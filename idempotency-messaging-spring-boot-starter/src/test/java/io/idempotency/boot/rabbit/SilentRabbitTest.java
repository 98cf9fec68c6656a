package io.idempotency.boot.rabbit;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.boot.outbox.SendingApplication;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A broker that cannot be reached, and says nothing. */
@PostgresTest
@Tag("full")
class SilentRabbitTest {

    private static final int MESSAGES = 10;

    private final TestDatabase database;

    SilentRabbitTest(TestDatabase database) {
        this.database = database;
    }

    /** As a load balancer without a broker behind it, or a host that stands still: the system accepts, and nobody answers. */
    @Test
    void aBrokerThatDoesNotAnswerIsAnOutageOfAllMessages() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            SendingApplication.on(database)
                    .withClassLoader(new FilteredClassLoader(KafkaTemplate.class))
                    .withPropertyValues(
                            "spring.rabbitmq.host=127.0.0.1",
                            "spring.rabbitmq.port=" + silent.getLocalPort(),
                            "idempotency.outbox.send-timeout=4s")
                    .run(context -> {
                        publish(context.getBean(Outbox.class), context.getBean(DataSource.class));
                        JdbcTemplate jdbc = database.jdbc();

                        Awaitility.await()
                                .until(() -> jdbc.queryForObject(
                                                "select count(*) from idempotency.outbox_event where last_error is not null",
                                                Integer.class)
                                        == MESSAGES);

                        assertThat(jdbc.queryForList(
                                        "select distinct attempt_count from idempotency.outbox_event", Integer.class))
                                .containsExactly(0);
                    });
        }
    }

    private static void publish(Outbox outbox, DataSource dataSource) {
        new TransactionTemplate(new JdbcTransactionManager(dataSource))
                .executeWithoutResult(status -> IntStream.range(0, MESSAGES)
                        .forEach(number -> outbox.publish(OutboxMessage.of("orders", "OrderPlaced")
                                .payload(number)
                                .build())));
    }
}
