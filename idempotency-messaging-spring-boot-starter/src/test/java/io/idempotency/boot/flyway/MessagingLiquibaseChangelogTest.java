package io.idempotency.boot.flyway;

import io.idempotency.test.PostgresTest;

/** The changelogs of calls and of messages together. */
@PostgresTest(empty = true)
class MessagingLiquibaseChangelogTest extends LiquibaseChangelogTest {

    @Override
    String[] everything() {
        return new String[] {
            "idempotency.purge.archive=true",
            "idempotency.storage.processed-messages=day",
            "idempotency.storage.maintenance=false"
        };
    }
}
