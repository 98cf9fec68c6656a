package io.idempotency.boot.contract;

class ReadCommittedContractTest extends IdempotentContractTests {

    ReadCommittedContractTest(ContractApplications applications) {
        super(applications, "READ_COMMITTED");
    }
}
