package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;

import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
@Tag("full")
class LostConnectionWithPipelinedTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithPipelinedTransactionManagerTest(TestDatabase database) {
        super(database, PipelinedTransactionManager.class, List.of(), PipelinedCommitContractTest.PIPELINED);
    }
}
