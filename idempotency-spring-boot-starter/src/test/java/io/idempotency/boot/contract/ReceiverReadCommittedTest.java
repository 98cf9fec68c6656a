package io.idempotency.boot.contract;

class ReceiverReadCommittedTest extends ReceiverContractTests {

    ReceiverReadCommittedTest(ContractApplications applications) {
        super(applications, "READ_COMMITTED");
    }
}
