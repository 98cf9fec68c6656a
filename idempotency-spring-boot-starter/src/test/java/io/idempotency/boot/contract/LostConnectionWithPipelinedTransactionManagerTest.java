package io.idempotency.boot.contract;

import java.util.List;

import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class LostConnectionWithPipelinedTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithPipelinedTransactionManagerTest(TestDatabase database) {
        super(database, PipelinedTransactionManager.class, List.of(), PipelinedCommitContractTest.PIPELINED);
    }
}
