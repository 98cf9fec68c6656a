package io.idempotency.boot.documentation;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.retention.PartitionMaintenance;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** An outbox that is used is put in partitions as the page says, by those statements. */
@PostgresTest
@Tag("race")
class SentMessagesPageTest {

    private static final Logger logger = LoggerFactory.getLogger(SentMessagesPageTest.class);

    private static final int SENT_BEFORE = TestSize.pick(20_000, 2_000_000);

    private static final int PUBLISHERS = 3;

    private static final int MESSAGES_BETWEEN_STEPS = 50;

    @Test
    void nothingIsLostOrSentTwiceAndEachKeyIsPublishedOnce(TestDatabase database) throws Exception {
        JdbcTemplate admin = database.jdbc();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger next = new AtomicInteger();
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {Sending.class})) {
            insertSent(admin);
            Outbox outbox = application.getBean(Outbox.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            ConcurrentCalls<Void> publishers = ConcurrentCalls.start(PUBLISHERS, publisher -> {
                while (!over.get()) {
                    int number = next.getAndIncrement();
                    transaction.execute(status -> outbox.publish(message(number)));
                    transaction.execute(status -> outbox.publish(message(number / 2)));
                }
                return null;
            });
            try {
                awaitMore(next);
                SingleConnectionDataSource owner = new SingleConnectionDataSource(database.connection(), true);
                for (String statement : statements()) {
                    untilItGetsItsLock(new JdbcTemplate(owner), statement);
                    awaitMore(next);
                }
                owner.destroy();
            } finally {
                over.set(true);
            }
            publishers.await().requireAllSucceeded();
            Awaitility.await().until(() -> count(admin, "where status <> 'sent'") == 0);
            assertThat(application.getBean(PartitionMaintenance.class).run()).isTrue();

            Queue<UUID> sent = application.getBean(Sending.class).ids;
            assertThat(sent).doesNotHaveDuplicates().hasSize(count(admin, "where topic = 'orders'"));
            assertThat(count(admin, "where topic = 'before'")).isEqualTo(SENT_BEFORE);
            assertThat(admin.queryForList("select deduplication_key from idempotency.outbox_event"
                            + " group by 1 having count(*) > 1"))
                    .isEmpty();
            UUID knownBefore = transaction.execute(status -> outbox.publish(keyed("before", "before-1")));
            assertThat(knownBefore)
                    .as("the message that had the key before")
                    .isEqualTo(admin.queryForObject(
                            "select message_id from idempotency.outbox_event where deduplication_key = 'before-1'",
                            UUID.class));
        }
        assertThat(admin.queryForObject(
                        "select relkind from pg_class where oid = 'idempotency.outbox_event'::regclass", String.class))
                .isEqualTo("p");
    }

    /** The message is not there yet for the statement that has found its key left over. */
    @Test
    void aLeftOverKeyThatIsTakenMeanwhileIsNotDeleted() throws Exception {
        try (TestDatabase database = TestDatabase.create();
                ConfigurableApplicationContext application =
                        JdbcTestApplication.start(database, new Class<?>[] {Sending.class})) {
            JdbcTemplate admin = database.jdbc();
            admin.execute("select idempotency.partition_outbox_event()");
            admin.execute("insert into idempotency.outbox_deduplication"
                    + " values ('orders', 'taken', gen_random_uuid()), ('orders', 'left-over', gen_random_uuid())");
            Outbox outbox = application.getBean(Outbox.class);
            String delete = statements().get(5);
            CompletableFuture<Integer> deleted = new TransactionTemplate(
                            application.getBean(PlatformTransactionManager.class))
                    .execute(status -> {
                        outbox.publish(keyed("taken"));
                        CompletableFuture<Integer> deleting = CompletableFuture.supplyAsync(() -> admin.update(delete));
                        database.backends().awaitBlocked(1);
                        return deleting;
                    });

            assertThat(deleted.orTimeout(20, TimeUnit.SECONDS).join()).isOne();
            assertThat(admin.queryForList(
                            "select deduplication_key from idempotency.outbox_deduplication", String.class))
                    .containsExactly("taken");
        }
    }

    private static void insertSent(JdbcTemplate admin) {
        admin.update("""
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, lane, payload, headers, deduplication_key, status, attempt_count,
                    created_at, due_at, next_attempt_at, sent_at, expires_at)
                select gen_random_uuid(), 'before', 'OrderPlaced', 0, '1', '{}', 'before-' || i, 'sent', 1,
                       now(), now(), now(), now(), now() + interval '3 days'
                from generate_series(1, ?) as i""", SENT_BEFORE);
    }

    private static OutboxMessage message(int number) {
        return keyed("order-" + number);
    }

    private static OutboxMessage keyed(String key) {
        return keyed("orders", key);
    }

    private static OutboxMessage keyed(String topic, String key) {
        return OutboxMessage.of(topic, "OrderPlaced")
                .payload(1)
                .deduplicationKey(key)
                .build();
    }

    private static void awaitMore(AtomicInteger next) {
        int before = next.get();
        Awaitility.await().until(() -> next.get() > before + MESSAGES_BETWEEN_STEPS);
    }

    private static void untilItGetsItsLock(JdbcTemplate owner, String statement) {
        Awaitility.await().timeout(Duration.ofSeconds(TestSize.pick(30, 300))).until(() -> {
            long start = System.nanoTime();
            try {
                owner.execute(statement);
                logger.info(
                        "{} ms for {}",
                        Duration.ofNanos(System.nanoTime() - start).toMillis(),
                        statement);
                return true;
            } catch (DataAccessException failure) {
                assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                cause -> assertThat(cause.getSQLState()).isEqualTo("55P03"));
                return false;
            }
        });
    }

    private static int count(JdbcTemplate admin, String condition) {
        return admin.queryForObject("select count(*) from idempotency.outbox_event " + condition, Integer.class);
    }

    private static List<String> statements() throws IOException {
        List<String> statements = MarkdownFile.all().stream()
                .filter(page -> page.toString().equals("partitions.md"))
                .flatMap(page -> page.code("sql").stream())
                .map(block -> block.code())
                .filter(code -> code.contains("outbox_event") && !code.contains("outbox_event_sent_rest"))
                .toList();
        assertThat(statements).hasSize(6);
        return statements;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Sending {

        private final Queue<UUID> ids = new ConcurrentLinkedQueue<>();

        @Bean
        OutboxSender sender() {
            return message -> {
                ids.add(message.id());
                return CompletableFuture.completedFuture(null);
            };
        }
    }
}
