package io.idempotency.internal.postgres.inbox;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A delivery meets the same where messages are in partitions. */
@NotOnCitus
@PostgresTest
@Tag("full")
class PartitionedInboxClaimTest extends InboxClaimTest {

    private final TestDatabase database;

    PartitionedInboxClaimTest(TestDatabase database) {
        super(database);
        this.database = database;
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        PartitionedMessages.in(database, PartitionPeriod.DAY);
    }

    /** Rows of different partitions have the same ctid, so that a purge must not delete by it. */
    @Test
    @Override
    void expiredMessagesAndFailuresAreForgotten() throws SQLException {
        assertThat(MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                        .purgeStore("test", false)
                        .begin(Duration.ZERO)
                        .tables())
                .extracting(ExpiringTable::name)
                .containsExactly("idempotency_request", "message_failure", "outbox_event", "response_body");
    }
}
