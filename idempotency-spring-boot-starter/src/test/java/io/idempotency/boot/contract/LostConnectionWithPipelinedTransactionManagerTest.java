package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;

import io.idempotency.internal.transaction.PipelinedTransactionManager;

@Tag("full")
class LostConnectionWithPipelinedTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithPipelinedTransactionManagerTest(ContractApplications applications) {
        super(
                applications,
                PipelinedTransactionManager.class,
                List.of(Bookings.class),
                PipelinedCommitContractTest.PIPELINED);
    }
}
