package io.idempotency.boot.contract;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.contract.Projections.Event;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Messages that have a place in a stream. */
@ContractTest
class DeliveryOrderTest {

    private final ContractApplications applications;

    private final ContractApplication application;

    private final Projections projections;

    DeliveryOrderTest(ContractApplications applications) {
        this.applications = applications;
        Projections.createTables(applications.database().jdbc());
        application = applications.start(List.of(Projections.class));
        projections = application.bean(Projections.class);
    }

    @AfterEach
    void clear() {
        applications.clear();
        application.database().jdbc().execute("truncate newest, history");
    }

    @Test
    void whatIsOlderThanWhatWasHandledIsSkippedAndCountsAsHandled() {
        assertThat(projections.keepNewest(new Event("s", 3L, "c"))).isEqualTo("c");
        assertThat(projections.keepNewest(new Event("s", 1L, "a"))).isNull();
        assertThat(projections.keepNewest(new Event("s", 1L, "a"))).isNull();
        assertThat(projections.keepNewest(new Event("s", 4L, "d"))).isEqualTo("d");

        assertThat(rows("newest")).containsExactly(Map.entry("s", "d"));
        assertThat(outcomes())
                .containsExactly(
                        MessageOutcome.HANDLED, MessageOutcome.LATE, MessageOutcome.DUPLICATE, MessageOutcome.HANDLED);
    }

    @Test
    void aGapIsRefusedAndTellsWhatHasToComeBefore() {
        projections.append(new Event("s", 1, "a"));

        MessageGapException gap =
                catchThrowableOfType(MessageGapException.class, () -> projections.append(new Event("s", 3, "c")));

        assertThat(gap)
                .returns("s", MessageGapException::stream)
                .returns(2L, MessageGapException::expectedVersion)
                .returns(3L, MessageGapException::version);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.handledMessages()).containsExactly("history s/1");
        projections.append(new Event("s", 2, "b"));
        projections.append(new Event("s", 3, "c"));
        assertThat(rows("history")).containsExactly(Map.entry("s", "abc"));
        assertThat(application.outcomes().messages())
                .extracting(MessageReceived::outcome, MessageReceived::attempt)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(MessageOutcome.HANDLED, 1),
                        org.assertj.core.groups.Tuple.tuple(MessageOutcome.GAP, 0),
                        org.assertj.core.groups.Tuple.tuple(MessageOutcome.HANDLED, 1),
                        org.assertj.core.groups.Tuple.tuple(MessageOutcome.HANDLED, 1));
    }

    @Test
    void aStreamBeginsWithTheVersionThatItsReceiverNames() {
        assertThatThrownBy(() -> projections.appendFromTen(new Event("s", 11, "b")))
                .isInstanceOf(MessageGapException.class);
        assertThat(projections.appendFromTen(new Event("s", 10, "a"))).isEqualTo("a");
        assertThat(projections.appendFromTen(new Event("s", 11, "b"))).isEqualTo("b");
    }

    @ParameterizedTest
    @MethodSource
    void aVersionMayBeAnyWholeNumber(Object version) {
        assertThat(projections.keepNewest(new Event("s", version, "a"))).isEqualTo("a");
    }

    static Stream<Object> aVersionMayBeAnyWholeNumber() {
        return Stream.of((byte) 1, (short) 1, 1, Long.MAX_VALUE, Long.MIN_VALUE, BigInteger.valueOf(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource
    void aVersionThatIsNoWholeNumberIsRefused(Object version) {
        assertThatThrownBy(() -> projections.keepNewest(new Event("s", version, "a")))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContainingAll("version expression '#event.version'", "consumer 'newest'");

        assertThat(outcomes()).containsExactly(MessageOutcome.INVALID_ID);
    }

    static Stream<Object> aVersionThatIsNoWholeNumberIsRefused() {
        return Stream.of("1", 1.0, new BigDecimal("1"), BigInteger.ONE.shiftLeft(63), List.of(1));
    }

    @Test
    void aMissingVersionAndAMissingStreamAreRefused() {
        assertThatThrownBy(() -> projections.keepNewest(new Event("s", null, "a")))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContaining("gives no version");
        assertThatThrownBy(() -> projections.keepNewest(new Event(null, 1, "a")))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContaining("gives no stream");
        assertThatThrownBy(() -> projections.keepNewest(new Event("x".repeat(300), 1, "a")))
                .isInstanceOf(InvalidIdempotencyKeyException.class);
    }

    @Test
    void aTypeIsCutToWhatIsKept() {
        projections.keepNewest(new Event("s".repeat(200), 1, "a"));

        assertThat(application
                        .database()
                        .jdbc()
                        .queryForObject("select message_type from idempotency.processed_message", String.class))
                .isEqualTo("event of " + "s".repeat(119));
    }

    @Test
    void twoMessagesOfAStreamMayBeHandledInOneTransaction() {
        TransactionTemplate transaction = application.transaction();

        transaction.executeWithoutResult(status -> {
            assertThat(projections.append(new Event("s", 1, "a"))).isEqualTo("a");
            assertThat(projections.append(new Event("s", 2, "b"))).isEqualTo("b");
            assertThat(projections.append(new Event("s", 1, "a"))).isNull();
        });

        assertThat(rows("history")).containsExactly(Map.entry("s", "ab"));
    }

    @Test
    void aSavepointTakesTheStreamBackToo() {
        TransactionTemplate transaction = application.transaction();

        transaction.executeWithoutResult(status -> {
            projections.append(new Event("s", 1, "a"));
            Object savepoint = status.createSavepoint();
            projections.append(new Event("s", 2, "lost"));
            status.rollbackToSavepoint(savepoint);
            assertThat(projections.append(new Event("s", 2, "b"))).isEqualTo("b");
        });

        assertThat(rows("history")).containsExactly(Map.entry("s", "ab"));
    }

    @Test
    void anOldVersionUnderANewIdIsLateAndAnOldIdWithANewVersionADuplicate() {
        projections.appendAs("m-1", "s", 1);
        projections.appendAs("m-2", "s", 2);

        assertThat(projections.appendAs("m-3", "s", 1)).isNull();
        assertThat(projections.appendAs("m-3", "s", 3)).isNull();
        assertThatThrownBy(() -> projections.appendAs("m-4", "s", 4)).isInstanceOf(MessageGapException.class);
        assertThat(projections.appendAs("m-5", "s", 3)).isEqualTo("m-5");

        assertThat(outcomes())
                .containsExactly(
                        MessageOutcome.HANDLED,
                        MessageOutcome.HANDLED,
                        MessageOutcome.LATE,
                        MessageOutcome.DUPLICATE,
                        MessageOutcome.GAP,
                        MessageOutcome.HANDLED);
    }

    @Test
    void anOperatorLetsAStreamGoOnWithoutAMessageThatNeverComes() {
        projections.append(new Event("s", 1, "a"));
        assertThatThrownBy(() -> projections.append(new Event("s", 3, "c"))).isInstanceOf(MessageGapException.class);

        application
                .database()
                .jdbc()
                .update("update idempotency.stream_position set last_version = 2"
                        + " where consumer = 'history' and stream_id = 's'");

        assertThat(projections.append(new Event("s", 3, "c"))).isEqualTo("c");
        assertThat(projections.append(new Event("s", 2, "b"))).isNull();
    }

    @Test
    void aStreamThatAnOperatorForgetsBeginsAgain() {
        projections.append(new Event("s", 1, "a"));
        projections.append(new Event("s", 2, "b"));
        application
                .database()
                .jdbc()
                .execute("delete from idempotency.stream_position; delete from idempotency.processed_message");

        assertThatThrownBy(() -> projections.append(new Event("s", 3, "c"))).isInstanceOf(MessageGapException.class);
        assertThat(projections.append(new Event("s", 1, "a"))).isEqualTo("a");
    }

    @Test
    void whatIsForgottenIsLateInItsStream() {
        projections.append(new Event("s", 1, "a"));
        projections.append(new Event("s", 2, "b"));
        application.database().jdbc().execute("truncate idempotency.processed_message");

        assertThat(projections.append(new Event("s", 1, "a"))).isNull();
        assertThat(projections.append(new Event("s", 2, "b"))).isNull();

        assertThat(rows("history")).containsExactly(Map.entry("s", "ab"));
    }

    private Map<String, String> rows(String table) {
        Map<String, String> rows = new LinkedHashMap<>();
        application.database().jdbc().query("select * from " + table, row -> {
            rows.put(row.getString(1), row.getString(2));
        });
        return rows;
    }

    private List<MessageOutcome> outcomes() {
        return application.outcomes().ofMessages();
    }
}
