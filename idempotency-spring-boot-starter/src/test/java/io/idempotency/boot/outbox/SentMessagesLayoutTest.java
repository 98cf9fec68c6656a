package io.idempotency.boot.outbox;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A table that holds messages is left as it is, and that is said. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class SentMessagesLayoutTest {

    private static final String DAY = "idempotency.storage.sent-messages=day";

    private final TestDatabase database;

    SentMessagesLayoutTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void messagesStayInATableThatHoldsThemUntilAnOperatorDecides(CapturedOutput output) {
        try (OutboxApplication application =
                OutboxApplication.start(database, List.of(), "idempotency.outbox.relay=false")) {
            application.shop().place("1");
        }
        try (OutboxApplication application =
                OutboxApplication.start(database, List.of(), DAY, "idempotency.outbox.relay=false")) {
            assertThat(output)
                    .contains("The table outbox_event is not in partitions, though idempotency.storage says day");
            application.shop().place("2");
            assertThat(application.messages()).containsExactly("1 pending", "2 pending");
            application.clear();
        }

        try (OutboxApplication application =
                OutboxApplication.start(database, List.of(), DAY, "idempotency.outbox.relay=false")) {
            application.shop().place("3");
            assertThat(database.jdbc()
                            .queryForObject("select count(*) from idempotency.outbox_event_open", Integer.class))
                    .isOne();
        }
        try (OutboxApplication application =
                OutboxApplication.start(database, List.of(), "idempotency.outbox.relay=false")) {
            assertThat(output)
                    .contains("The table outbox_event is in partitions, though idempotency.storage says rows");
            assertThat(application.messages()).containsExactly("3 pending");
        }
    }
}
