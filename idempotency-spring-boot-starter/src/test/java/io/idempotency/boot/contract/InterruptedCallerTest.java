package io.idempotency.boot.contract;

/** On platform threads. */
class InterruptedCallerTest extends InterruptedCallerTests {

    InterruptedCallerTest(ContractApplications applications) {
        super(applications, Callers::onPlatformThreads);
    }
}
