package io.idempotency.boot.inbox;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MessageConflictException;
import io.idempotency.MessageGapException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The lines by which one can tell, later, whether a message came and how often. */
@PostgresTest
class MessageLogTest {

    private final TestDatabase database;

    private final Logger logger = (Logger) LoggerFactory.getLogger(MessageLog.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    MessageLogTest(TestDatabase database) {
        this.database = database;
    }

    /** Not before the application runs, which sets logging up anew. */
    private void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    @Test
    void eachDeliveryIsOneLineAndADuplicateAnotherOne() {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {Receiver.class})) {
            listen();
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
        }

        assertThat(lines.list.stream().map(line -> line.getLevel() + " " + line.getFormattedMessage()))
                .containsExactly(
                        "DEBUG Message m-1 for logged was handled",
                        "INFO Message m-1 for logged was skipped: it had been handled before",
                        "INFO Message m-0 for logged was skipped: something newer had been handled before",
                        "WARN Message m-1 for logged has the id of another message that was handled before",
                        "INFO Message m-3 for logged was refused: something older has to come first",
                        "WARN Message without a valid id for logged was refused: its id, stream or version is not valid",
                        "DEBUG Message m-2 for logged failed");
        assertThat(fields(lines.list.get(1)))
                .contains("consumer=logged", "message_id=m-1", "outcome=duplicate", "attempt=0")
                .anyMatch(field -> field.startsWith("duration_ms="));
    }

    private static List<String> fields(ILoggingEvent line) {
        return line.getKeyValuePairs().stream()
                .map((KeyValuePair pair) -> pair.key + "=" + pair.value)
                .toList();
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
