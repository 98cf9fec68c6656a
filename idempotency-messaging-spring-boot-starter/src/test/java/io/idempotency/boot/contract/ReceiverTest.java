package io.idempotency.boot.contract;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a delivery to an annotated method meets. Order is the matter of {@link DeliveryOrderTest}. */
@ContractTest
class ReceiverTest {

    private final ContractApplication application;

    private final Bookings bookings;

    private final TransactionTemplate outer;

    ReceiverTest(ContractApplications applications) {
        application = applications.start(
                List.of(Bookings.class, Commands.class),
                "idempotency.wait-timeout=300ms",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.springframework.transaction=off");
        bookings = application.bean(Bookings.class);
        outer = application.transaction();
    }

    @Test
    void aMessageIsHandledOnceAndItsDuplicatesReturnNull() {
        assertThat(bookings.book("m-1", 5)).isEqualTo(1);
        assertThat(bookings.book("m-1", 5)).isNull();
        assertThat(bookings.book("m-1", 7)).isNull();

        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.handledMessages()).containsExactly("bookings m-1");
        assertThat(application.requests()).isZero();
        assertThat(outcomes())
                .containsExactly(MessageOutcome.HANDLED, MessageOutcome.DUPLICATE, MessageOutcome.DUPLICATE);
        assertThat(application.outcomes().all()).isEmpty();
    }

    @Test
    void twoConsumersHandleTheSameMessageIndependently() {
        bookings.book("m-1", 5);
        bookings.report("m-1", 7);
        bookings.report("m-1", 7);

        assertThat(application.spent()).isEqualTo(12);
        assertThat(application.handledMessages()).containsExactly("bookings m-1", "reports m-1");
    }

    @Test
    void aReceiverWithoutATransactionGetsOne() {
        assertThat(bookings.bookWithoutTransactional("m-1", 5)).isEqualTo("booked");
        assertThat(bookings.bookWithoutTransactional("m-1", 5)).isNull();

        assertThat(application.spent()).isEqualTo(5);
    }

    @Test
    void anotherPayloadIsRefused() {
        bookings.bookOrRefuse("m-1", 5);

        assertThatThrownBy(() -> bookings.bookOrRefuse("m-1", 6))
                .isInstanceOf(MessageConflictException.class)
                .hasMessageContainingAll("'bookings-refusing'", "'m-1'");

        assertThat(bookings.bookOrRefuse("m-1", 5)).isNull();
        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(outcomes())
                .containsExactly(MessageOutcome.HANDLED, MessageOutcome.CONFLICT, MessageOutcome.DUPLICATE);
    }

    @Test
    void anotherPayloadIsSkippedIfTheReceiverWantsThat() {
        bookings.bookOrSkip("m-1", 5);

        assertThat(bookings.bookOrSkip("m-1", 6)).isNull();

        assertThat(application.spent()).isEqualTo(5);
        assertThat(outcomes()).containsExactly(MessageOutcome.HANDLED, MessageOutcome.CONFLICT);
    }

    @Test
    void aCheckedExceptionRollsBackAndReachesTheCaller() {
        IOException failure = new IOException("no paper");

        assertThatThrownBy(() -> bookings.bookAndThrow("m-1", failure)).isSameAs(failure);

        assertThat(application.effects()).isZero();
        assertThat(application.handledMessages()).isEmpty();
        assertThat(application.messageFailures())
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("consumer", "bookings-failing")
                        .containsEntry("message_id", "m-1")
                        .containsEntry("message_type", "booking")
                        .containsEntry("attempt_count", 1)
                        .containsEntry("failure_code", IOException.class.getName())
                        .containsEntry("failure_message", "no paper"));
        assertThat(application.outcomes().messages())
                .singleElement()
                .satisfies(event -> assertThat(event)
                        .returns("bookings-failing", MessageReceived::consumer)
                        .returns("m-1", MessageReceived::messageId)
                        .returns(MessageOutcome.FAILED, MessageReceived::outcome)
                        .returns(1, MessageReceived::attempt)
                        .returns(failure, MessageReceived::failure));
    }

    @Test
    void failuresAreCountedUntilTheMessageSucceeds() {
        AtomicInteger executions = new AtomicInteger();
        application.interruption().afterEffectDo(() -> {
            if (executions.incrementAndGet() <= 2) {
                throw new IllegalStateException("execution " + executions);
            }
        });
        assertThatThrownBy(() -> bookings.book("m-1", 5)).hasMessage("execution 1");
        assertThatThrownBy(() -> bookings.book("m-1", 5)).hasMessage("execution 2");
        assertThat(application.messageFailures())
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("attempt_count", 2)
                        .containsEntry("failure_message", "execution 2"));

        assertThat(bookings.book("m-1", 5)).isEqualTo(3);

        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.outcomes().messages())
                .extracting(MessageReceived::attempt)
                .containsExactly(1, 2, 3);
    }

    @Test
    void aLongMessageOfAFailureIsCut() {
        assertThatThrownBy(() -> bookings.bookAndThrow("m-1", new IllegalStateException("\0x".repeat(2_000))))
                .isInstanceOf(IllegalStateException.class);

        assertThat(application.messageFailures())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("failure_message", "x".repeat(1_000)));
    }

    @Test
    void whatMaySucceedIfItIsRepeatedIsNoFailureOfTheMessage() {
        AtomicInteger executions = new AtomicInteger();
        application.interruption().afterEffectDo(() -> {
            executions.incrementAndGet();
            raise("40001");
        });

        assertThatThrownBy(() -> bookings.book("m-1", 5)).isInstanceOf(DataAccessException.class);

        assertThat(executions).hasValue(4);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.outcomes().retries())
                .extracting(Outcomes.Repeat::sqlState)
                .containsExactly("40001", "40001", "40001");
        assertThat(outcomes()).containsExactly(MessageOutcome.FAILED);
    }

    @Test
    void aDeliveryThatWaitedInVainIsInProgress() {
        Gate gate = new Gate();
        application.interruption().beforeEffectDo(gate::holdTheFirst);
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<Integer> first = callers.start(() -> bookings.book("m-1", 5));
            gate.awaitHeld();

            assertThatThrownBy(() -> bookings.book("m-1", 5)).isInstanceOf(RequestInProgressException.class);
            assertThatThrownBy(() -> outer.execute(status -> bookings.book("m-1", 5)))
                    .isInstanceOf(RequestInProgressException.class);

            gate.open();
            assertThat(first.answer()).isEqualTo(1);
        }
        assertThat(application.messageFailures()).isEmpty();
        assertThat(outcomes())
                .containsExactly(MessageOutcome.IN_PROGRESS, MessageOutcome.IN_PROGRESS, MessageOutcome.HANDLED);
    }

    @Test
    void inAnOuterTransactionADeliveryIsReportedAtItsEndAndNotRecorded() {
        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    bookings.book("m-1", 5);
                    assertThat(application.outcomes().messages()).isEmpty();
                    throw new IllegalStateException("outer");
                }))
                .hasMessage("outer");
        assertThat(application.handledMessages()).isEmpty();
        assertThat(outcomes()).containsExactly(MessageOutcome.FAILED);

        outer.executeWithoutResult(status -> bookings.book("m-1", 5));

        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(outcomes()).containsExactly(MessageOutcome.FAILED, MessageOutcome.HANDLED);
    }

    @Test
    void anIdThatIsMissingIsRefused() {
        assertThatThrownBy(() -> bookings.book(null, 5))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContainingAll("message id", "'#id'", "consumer 'bookings'");

        assertThat(outcomes()).containsExactly(MessageOutcome.INVALID_ID);
        assertThat(application.effects()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "\u0000"})
    void anIdThatIsMalformedIsRefused(String id) {
        assertThatThrownBy(() -> bookings.book(id, 5))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining("The message id of consumer 'bookings'");

        assertThat(application.outcomes().messages())
                .singleElement()
                .satisfies(event -> assertThat(event)
                        .returns(MessageOutcome.INVALID_ID, MessageReceived::outcome)
                        .returns(null, MessageReceived::messageId)
                        .returns(0, MessageReceived::attempt));
    }

    @Test
    void aCallWithTheNameOfTheMessageThatItIsMadeForIsNotTakenForIt() {
        Commands commands = application.bean(Commands.class);
        application
                .interruption()
                .beforeEffectDo(() -> assertThat(commands.execute("m-1")).isEqualTo("done"));

        assertThat(bookings.book("m-1", 5)).isEqualTo(1);

        assertThat(application.requests()).isEqualTo(1);
        assertThat(application.handledMessages()).hasSize(1);
    }

    private void raise(String sqlState) {
        application
                .bean(JdbcTemplate.class)
                .execute("do $$ begin raise exception 'raised' using errcode = '" + sqlState + "'; end $$");
    }

    private List<MessageOutcome> outcomes() {
        return application.outcomes().ofMessages();
    }

    static class Commands {

        @Idempotent(scope = "bookings", key = "#key")
        public String execute(String key) {
            return "done";
        }
    }
}
