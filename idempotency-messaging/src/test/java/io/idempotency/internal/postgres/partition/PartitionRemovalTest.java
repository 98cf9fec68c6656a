package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Deliveries.message;
import static org.assertj.core.api.Assertions.assertThat;

/** A partition is dropped when all of its messages have expired, and no open transaction can write into it. */
@PostgresTest
class PartitionRemovalTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private PartitionedMessages messages;
    private Deliveries deliveries;

    PartitionRemovalTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void partition() throws SQLException {
        admin.execute("drop schema if exists idempotency cascade");
        messages = PartitionedMessages.in(database, PartitionPeriod.of(Duration.ofSeconds(1)));
        deliveries = new Deliveries(database.dataSource());
    }

    @AfterEach
    void close() throws SQLException {
        deliveries.close();
    }

    @Test
    void aPartitionIsKeptUntilItsLastMessageHasExpired() throws SQLException {
        deliveries.claimAndCommit(message("old"));
        deliveries.claimAndCommit(message("young"));
        expire("old");
        messages.passBound();
        assertKeptByTheNextRun("old");

        expire("young");
        awaitNoMessages();

        assertThat(deliveries.claimAndCommit(message("old"))).isEqualTo(InboxResult.Kind.NEW);
        assertThat(deliveries.claimAndCommit(message("young"))).isEqualTo(InboxResult.Kind.NEW);
    }

    @Test
    void aPartitionIsKeptWhileATransactionIsOpenThatBeganBeforeItWasClosed() throws SQLException {
        try (Deliveries earlier = new Deliveries(database.dataSource())) {
            earlier.query("select 1");
            deliveries.claimAndCommit(message("m-1"));
            messages.passBound();
            expire("m-1");
            assertKeptByTheNextRun("m-1");

            earlier.commit();
        }
        awaitNoMessages();
    }

    private void expire(String messageId) {
        admin.update(
                "update idempotency.processed_message set expires_at = now() - interval '1 second' where message_id = ?",
                messageId);
        admin.update(
                "update idempotency.processed_message_partition set expires_at = null where closed_at is not null");
    }

    private void assertKeptByTheNextRun(String messageId) throws SQLException {
        Awaitility.await("the expiry of the closed partitions is noted")
                .until(() -> messages.maintain()
                        && admin.queryForList("select 1 from idempotency.processed_message_partition"
                                        + " where closed_at is not null and expires_at is null")
                                .isEmpty());
        messages.maintain();
        assertThat(deliveries.claimAndCommit(message(messageId))).isEqualTo(InboxResult.Kind.DUPLICATE);
    }

    private void awaitNoMessages() {
        Awaitility.await("the partition is dropped")
                .until(() -> messages.maintain()
                        && admin.queryForList("select 1 from idempotency.processed_message")
                                .isEmpty());
    }
}
