package io.idempotency.boot.documentation;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** A table that is used is put in partitions as the page says, by those statements. */
@PostgresTest
@Tag("race")
@Tag("full")
class PartitionsPageTest {

    private static final int ROWS = TestSize.pick(20_000, 5_000_000);

    /** What a statement waits for its lock; and then it is over in moments. */
    private static final Duration BOUND = Duration.ofSeconds(5);

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private ConfigurableApplicationContext application;

    PartitionsPageTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void start() {
        admin.execute("drop schema if exists idempotency cascade; drop table if exists effect;"
                + " create table effect (message_id text)");
        JdbcTestApplication.start(database, new Class<?>[0]).close();
        admin.execute("insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)"
                + " values ('invoices', 'old', now(), now() + interval '14 days')");
        application = JdbcTestApplication.start(
                database,
                new Class<?>[0],
                "idempotency.storage.processed-messages=day",
                "idempotency.storage.maintenance=false");
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void aTableWithRowsIsExchangedWhileMessagesCome() throws Exception {
        admin.execute("insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)"
                + " select 'invoices', 'old-' || i, now(), now() + interval '14 days' from generate_series(1, " + ROWS
                + ") as i");

        exchangeWhileMessagesCome();

        assertThat(admin.queryForObject("select count(*) from idempotency.processed_message", Integer.class))
                .isGreaterThan(ROWS);
        assertThat(handle("old-1")).isFalse();
        assertThat(handle("old-" + ROWS)).isFalse();
        assertThat(application.getBean(PartitionMaintenance.class).run()).isTrue();
        assertThat(admin.queryForObject(
                        "select count(*) from idempotency.processed_message_partition where starts_at > now()",
                        Integer.class))
                .isEqualTo(7);
        for (MarkdownFile.CodeBlock block : sql().skip(3).toList()) {
            admin.execute(block.code());
        }
    }

    @Test
    void anEmptyTableIsExchangedWhileMessagesCome() throws Exception {
        admin.execute("truncate idempotency.processed_message");

        exchangeWhileMessagesCome();
    }

    /** Each message comes twice, at different times. */
    private void exchangeWhileMessagesCome() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger next = new AtomicInteger();
        ConcurrentCalls<Void> callers = ConcurrentCalls.start(4, caller -> {
            while (!over.get()) {
                handle("m-" + next.get());
                handle("m-" + next.getAndIncrement() / 2);
            }
            return null;
        });
        try {
            Awaitility.await().until(() -> next.get() > 100);
            SingleConnectionDataSource owner = new SingleConnectionDataSource(database.connection(), true);
            List<MarkdownFile.CodeBlock> blocks = sql().toList().subList(0, 3);
            for (MarkdownFile.CodeBlock block : blocks) {
                for (String statement : block.code().split(";\\s*", -1)) {
                    if (!statement.isBlank()) {
                        untilItGetsItsLock(new JdbcTemplate(owner), statement);
                    }
                }
                int before = next.get();
                Awaitility.await().until(() -> next.get() > before + 100);
            }
            owner.destroy();
        } finally {
            over.set(true);
        }
        callers.await().requireAllSucceeded();

        assertThat(admin.queryForObject(
                        "select relkind from pg_class where oid = 'idempotency.processed_message'::regclass",
                        String.class))
                .isEqualTo("p");
        assertThat(admin.queryForList("select message_id from effect group by 1 having count(*) > 1"))
                .isEmpty();
        assertThat(admin.queryForObject("select count(*) from effect", Integer.class))
                .isEqualTo(admin.queryForObject(
                        "select count(*) from idempotency.processed_message where message_id like 'm-%'",
                        Integer.class));
    }

    private static void untilItGetsItsLock(JdbcTemplate owner, String statement) {
        Awaitility.await().timeout(Duration.ofSeconds(30)).until(() -> {
            long start = System.nanoTime();
            try {
                owner.execute(statement);
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                System.out.printf("%d ms for %s%n", took.toMillis(), statement);
                assertThat(statement.contains("validate") || took.compareTo(BOUND) < 0)
                        .isTrue();
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

    private boolean handle(String id) {
        return application
                .getBean(Inbox.class)
                .handleOnce(
                        "invoices",
                        id,
                        () -> application
                                .getBean(JdbcTemplate.class)
                                .update("insert into effect (message_id) values (?)", id));
    }

    private static Stream<MarkdownFile.CodeBlock> sql() throws IOException {
        return MarkdownFile.all().stream()
                .filter(page -> page.toString().equals("partitions.md"))
                .flatMap(page -> page.code("sql").stream());
    }
}
