package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

@Tag("citus")
class ReceiverSerializableTest extends ReceiverContractTests {

    ReceiverSerializableTest(ContractApplications applications) {
        super(applications, "SERIALIZABLE");
    }
}
