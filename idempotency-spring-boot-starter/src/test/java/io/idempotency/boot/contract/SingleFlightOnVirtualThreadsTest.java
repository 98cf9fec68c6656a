package io.idempotency.boot.contract;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** On virtual threads, of which far more wait than there are carriers: none of them may be pinned. */
@EnabledForJreRange(min = JRE.JAVA_21)
class SingleFlightOnVirtualThreadsTest extends SingleFlightTests {

    SingleFlightOnVirtualThreadsTest(ContractApplications applications) {
        super(applications, Callers::onVirtualThreads);
    }
}
