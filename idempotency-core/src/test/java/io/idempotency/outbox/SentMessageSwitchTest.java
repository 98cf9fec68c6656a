package io.idempotency.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.postgres.MigratedTables;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** While what was sent before is not a partition yet. */
@PostgresTest
class SentMessageSwitchTest {

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    private UUID sentBefore;

    SentMessageSwitchTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.publisher = new Publisher(database.dataSource(4));
    }

    @BeforeEach
    void partitionWhatWasSent() {
        MigratedTables.in(database);
        sentBefore = publishWithKey("order-42");
        publisher.store.send(10, Duration.ofSeconds(10), Taken::asSent);
        admin.execute("select idempotency.prepare_partitions_of_outbox_event()");
        admin.execute("insert into idempotency.outbox_deduplication values ('orders', 'purged', gen_random_uuid())");
        admin.execute("select idempotency.partition_outbox_event()");
    }

    @AfterEach
    void forgetEverything() {
        admin.execute("drop schema idempotency cascade");
    }

    @Test
    void aKeyThatIsLeftOverIsFreeAndThatOfAMessageIsNot() {
        assertThat(publishWithKey("order-42")).isEqualTo(sentBefore);
        UUID published = publishWithKey("purged");
        assertThat(publishWithKey("purged")).isEqualTo(published);

        assertThat(admin.queryForList("select message_id from idempotency.outbox_event", UUID.class))
                .containsExactly(published);
        attach();
        assertThat(publishWithKey("order-42")).isEqualTo(sentBefore);
        assertThat(admin.queryForList("select message_id from idempotency.outbox_event", UUID.class))
                .containsExactlyInAnyOrder(published, sentBefore);
    }

    private void attach() {
        admin.execute("select idempotency.check_outbox_event_before()");
        admin.execute("select idempotency.attach_outbox_event_before()");
    }

    /** Publishers look there for the messages of their keys. */
    @Test
    @Tag("race")
    void nobodyWaitsForTheCheck() throws SQLException {
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select idempotency.check_outbox_event_before()");

            assertThat(ConcurrentCalls.run(1, () -> publishWithKey("order-42")).requireAllSucceeded())
                    .containsExactly(sentBefore);
            connection.commit();
        }
        admin.execute("select idempotency.attach_outbox_event_before()");
        assertThat(publishWithKey("order-42")).isEqualTo(sentBefore);
    }

    @Test
    void aRoleThatComesLaterMayPublish() throws SQLException {
        admin.execute("""
                do 'begin
                    if not exists (select from pg_roles where rolname = ''late_publisher'') then
                        create role late_publisher;
                    end if;
                end';
                grant usage on schema idempotency to late_publisher;
                grant select, insert on idempotency.outbox_event to late_publisher""");
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            statement.execute("set role late_publisher");
            statement.execute("""
                    insert into idempotency.outbox_event (
                        message_id, topic, message_type, lane, payload, headers, status, attempt_count, created_at,
                        due_at, next_attempt_at)
                    values (gen_random_uuid(), 'orders', 'OrderPlaced', 0, '1', '{}', 'pending', 0, now(), now(), now())""");
        }

        assertThat(Publisher.states(admin)).containsExactly("1 pending");
    }

    private UUID publishWithKey(String key) {
        return publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                .payload(1)
                .deduplicationKey(key)
                .build());
    }
}
