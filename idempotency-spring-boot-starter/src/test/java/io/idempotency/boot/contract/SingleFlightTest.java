package io.idempotency.boot.contract;

import io.idempotency.test.TestDatabase;

/** On platform threads. */
class SingleFlightTest extends SingleFlightTests {

    SingleFlightTest(TestDatabase database) {
        super(database, Callers::onPlatformThreads);
    }
}
