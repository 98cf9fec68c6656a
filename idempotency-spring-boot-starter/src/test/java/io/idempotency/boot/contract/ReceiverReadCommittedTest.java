package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

@Tag("citus")
class ReceiverReadCommittedTest extends ReceiverContractTests {

    ReceiverReadCommittedTest(ContractApplications applications) {
        super(applications, "READ_COMMITTED");
    }
}
