package io.idempotency.boot.contract;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import io.idempotency.test.TestDatabase;

/** On virtual threads, which close the socket that they read from when they are interrupted. */
@EnabledForJreRange(min = JRE.JAVA_21)
class InterruptedCallerOnVirtualThreadsTest extends InterruptedCallerTests {

    InterruptedCallerOnVirtualThreadsTest(TestDatabase database) {
        super(database, Callers::onVirtualThreads);
    }
}
