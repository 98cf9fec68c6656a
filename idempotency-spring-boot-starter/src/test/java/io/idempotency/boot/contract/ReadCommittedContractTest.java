package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

@Tag("citus")
class ReadCommittedContractTest extends IdempotentContractTests {

    ReadCommittedContractTest(ContractApplications applications) {
        super(applications, "READ_COMMITTED");
    }
}
