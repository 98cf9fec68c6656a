package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

@Tag("citus")
@Tag("full")
class ReceiverRepeatableReadTest extends ReceiverContractTests {

    ReceiverRepeatableReadTest(ContractApplications applications) {
        super(applications, "REPEATABLE_READ");
    }
}
