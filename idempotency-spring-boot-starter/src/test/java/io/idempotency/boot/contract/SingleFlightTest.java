package io.idempotency.boot.contract;

/** On platform threads. */
class SingleFlightTest extends SingleFlightTests {

    SingleFlightTest(ContractApplications applications) {
        super(applications, Callers::onPlatformThreads);
    }
}
