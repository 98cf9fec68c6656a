package io.idempotency.internal.postgres.inbox;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** The same where messages are in partitions. */
@PostgresTest
@EachDriverMode
@Tag("full")
class PartitionedInboxClaimInDriverModesTest extends InboxClaimInDriverModesTest {

    PartitionedInboxClaimInDriverModesTest(TestDatabase database) {
        super(database);
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        PartitionedMessages.in(database, PartitionPeriod.DAY);
    }
}
