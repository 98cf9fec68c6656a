package io.idempotency.outbox;

import org.junit.jupiter.api.BeforeAll;

import io.idempotency.postgres.MigratedTables;
import io.idempotency.test.TestDatabase;

/** The same where messages that were sent are in partitions. */
class RelayCostOnPartitionsTest extends RelayCostTest {

    RelayCostOnPartitionsTest(TestDatabase database) {
        super(database);
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        MigratedTables.withPartitionsOfSentMessages(database);
    }
}
