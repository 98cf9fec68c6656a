package io.idempotency.boot.outbox;

import org.junit.jupiter.api.AfterAll;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The same in an application that keeps what was sent in partitions, and looks after those. */
class InProcessOnPartitionsTest extends InProcessTest {

    private static final int MADE_BY_MAINTENANCE = 8;

    private final TestDatabase database;

    InProcessOnPartitionsTest(TestDatabase database) {
        super(database.with("idempotency.storage.sent-messages", "day"));
        this.database = database;
    }

    @AfterAll
    void isMaintained() {
        await().untilAsserted(() -> assertThat(database.jdbc()
                        .queryForObject(
                                "select count(*) from idempotency.storage_partition where parent = 'outbox_event_sent'",
                                Integer.class))
                .isGreaterThanOrEqualTo(MADE_BY_MAINTENANCE));
    }
}
