package io.idempotency.boot.logging;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.DeliveryOrder;
import io.idempotency.IdempotentReceiver;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MessageConflictException;
import io.idempotency.MessageGapException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The lines by which one can tell, later, whether a message came and how often. */
@PostgresTest
class MessageLogTest {

    private final TestDatabase database;

    MessageLogTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void eachDeliveryIsOneLineAndADuplicateAnotherOne() {
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                        database, new Class<?>[] {Receiver.class}, "idempotency.logging.keys=shown");
                LogLines log = LogLines.of(CallLog.MESSAGES)) {
            Receiver receiver = application.getBean(Receiver.class);
            receiver.receive("m-1", 1, "body");
            receiver.receive("m-1", 1, "body");
            receiver.receive("m-0", 1, "body");
            assertThatThrownBy(() -> receiver.receive("m-1", 1, "another body"))
                    .isInstanceOf(MessageConflictException.class);
            assertThatThrownBy(() -> receiver.receive("m-3", 3, "body")).isInstanceOf(MessageGapException.class);
            assertThatThrownBy(() -> receiver.receive(" ", 2, "body"))
                    .isInstanceOf(InvalidIdempotencyKeyException.class);
            assertThatThrownBy(() -> receiver.receive("m-2", 2, "fails")).isInstanceOf(IllegalStateException.class);

            assertThat(log.texts())
                    .containsExactly(
                            "DEBUG Message m-1 for logged was handled",
                            "INFO Message m-1 for logged was skipped: it had been handled before",
                            "INFO Message m-0 for logged was skipped: something newer had been handled before",
                            "WARN Message m-1 for logged has the id of another message that was handled before",
                            "INFO Message m-3 for logged was refused: something older has to come first",
                            "WARN Message for logged was refused: its id, stream or version is not valid",
                            "DEBUG Message m-2 for logged failed");
            assertThat(LogLines.pairsOf(log.all().get(1)))
                    .containsOnlyKeys("consumer", "message_id", "outcome", "attempt", "duration_ms")
                    .containsEntry("message_id", "m-1");
        }
    }

    static class Receiver {

        @Transactional
        @IdempotentReceiver(
                consumer = "logged",
                messageId = "#id",
                payload = "#body",
                stream = "'all'",
                version = "#version",
                order = DeliveryOrder.STRICT)
        public void receive(String id, int version, String body) {
            if (body.equals("fails")) {
                throw new IllegalStateException("as wanted");
            }
        }
    }
}
