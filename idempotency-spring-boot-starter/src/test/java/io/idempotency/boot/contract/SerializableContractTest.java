package io.idempotency.boot.contract;

class SerializableContractTest extends IdempotentContractTests {

    SerializableContractTest(ContractApplications applications) {
        super(applications, "SERIALIZABLE");
    }
}
