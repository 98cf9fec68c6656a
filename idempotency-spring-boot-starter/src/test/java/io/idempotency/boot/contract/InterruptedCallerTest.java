package io.idempotency.boot.contract;

import io.idempotency.test.TestDatabase;

/** On platform threads. */
class InterruptedCallerTest extends InterruptedCallerTests {

    InterruptedCallerTest(TestDatabase database) {
        super(database, Callers::onPlatformThreads);
    }
}
