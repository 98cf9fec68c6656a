package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

@Tag("citus")
@Tag("full")
class RepeatableReadContractTest extends IdempotentContractTests {

    RepeatableReadContractTest(ContractApplications applications) {
        super(applications, "REPEATABLE_READ");
    }
}
