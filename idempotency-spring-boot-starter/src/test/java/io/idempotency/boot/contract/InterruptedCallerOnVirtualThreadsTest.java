package io.idempotency.boot.contract;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** On virtual threads, which close the socket that they read from when they are interrupted. */
@EnabledForJreRange(min = JRE.JAVA_21)
class InterruptedCallerOnVirtualThreadsTest extends InterruptedCallerTests {

    InterruptedCallerOnVirtualThreadsTest(ContractApplications applications) {
        super(applications, Callers::onVirtualThreads);
    }
}
