package io.idempotency.boot.contract;

class ReceiverSerializableTest extends ReceiverContractTests {

    ReceiverSerializableTest(ContractApplications applications) {
        super(applications, "SERIALIZABLE");
    }
}
