package io.idempotency.boot.retention;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Which table an application puts in partitions when it starts, and who looks after them then. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class PartitionsTest {

    private static final String DAYS = "idempotency.storage.processed-messages=day";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    PartitionsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void clear() {
        admin.execute("drop schema if exists idempotency cascade");
    }

    @Test
    void anEmptyTableIsPutInPartitionsAndSevenAreAheadSoon(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start(DAYS)) {
            assertThat(isPartitioned()).isTrue();
            Awaitility.await().until(() -> ahead() == 7);
            assertThat(handle(application, "m-1")).isTrue();
            assertThat(handle(application, "m-1")).isFalse();
        }
        try (ConfigurableApplicationContext application = start(DAYS)) {
            assertThat(handle(application, "m-1")).isFalse();
        }
        assertThat(output).doesNotContain("docs/partitions.md").doesNotContain("could not be maintained");
    }

    @Test
    void manyInstancesThatStartAtOncePutItInPartitionsOnce() {
        ConcurrentCalls.run(3, instance -> {
                    start(DAYS).close();
                    return instance;
                })
                .requireAllSucceeded();

        assertThat(isPartitioned()).isTrue();
    }

    @Test
    void aTableWithRowsIsLeftAsItIsAndSaysSo(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start()) {
            handle(application, "m-1");
        }
        assertThat(output).doesNotContain("docs/partitions.md");

        try (ConfigurableApplicationContext application = start(DAYS)) {
            assertThat(isPartitioned()).isFalse();
            assertThat(handle(application, "m-1")).isFalse();
        }
        assertThat(output)
                .contains(
                        "The table processed_message is not in partitions, though idempotency.storage.processed-messages is day",
                        "docs/partitions.md");
    }

    @Test
    void aTableInPartitionsStaysSoAndIsLookedAfterWhateverIsSet(CapturedOutput output) {
        start("idempotency.storage.processed-messages=month", "idempotency.storage.maintenance=false")
                .close();
        assertThat(ahead()).isZero();

        try (ConfigurableApplicationContext application = start("idempotency.storage.maintenance-interval=10ms")) {
            assertThat(isPartitioned()).isTrue();
            Awaitility.await().until(() -> ahead() == 7);
            assertThat(handle(application, "m-1")).isTrue();
        }
        assertThat(output)
                .contains("is in partitions, though idempotency.storage.processed-messages is rows", "are of a day");
        assertThat(admin.queryForList(
                        "select distinct ends_at - starts_at = interval '1 day'"
                                + " from idempotency.processed_message_partition where closed_at is null"
                                + " and starts_at > now()",
                        Boolean.class))
                .containsExactly(true);
    }

    @Test
    void whoMayNotMaintainSaysSoOnceAndHandlesMessages(CapturedOutput output) {
        start(DAYS, "idempotency.storage.maintenance=false").close();
        admin.execute("""
                create role messages_only login password 'secret';
                grant usage on schema idempotency to messages_only;
                grant select, insert, update, delete on all tables in schema idempotency to messages_only""");
        try (ConfigurableApplicationContext application = start(
                DAYS,
                "idempotency.migrate=false",
                "idempotency.storage.maintenance-interval=10ms",
                "spring.datasource.username=messages_only",
                "spring.datasource.password=secret")) {
            Awaitility.await().until(() -> output.toString().contains("could not be maintained"));
            assertThat(handle(application, "m-1")).isTrue();
            assertThat(handle(application, "m-1")).isFalse();
        } finally {
            admin.execute("drop owned by messages_only; drop role messages_only");
        }
        assertThat(output.toString().split("could not be maintained", -1)).hasSize(2);
        assertThat(output).contains("idempotency.storage.maintenance-role");
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[0], properties);
    }

    private static boolean handle(ConfigurableApplicationContext application, String id) {
        return application.getBean(Inbox.class).handleOnce("invoices", id, () -> {});
    }

    private boolean isPartitioned() {
        return admin.queryForObject(
                "select relkind = 'p' from pg_class where oid = 'idempotency.processed_message'::regclass",
                Boolean.class);
    }

    private int ahead() {
        return admin.queryForObject(
                "select count(*) from idempotency.processed_message_partition where starts_at > now()", Integer.class);
    }
}
