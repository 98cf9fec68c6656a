package io.idempotency.boot.contract;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** Messages that are received without an annotation, one by one or in batches. */
@Tag("citus")
@ContractTest
class InboxTest {

    private static final String WAIT_TIMEOUT = "2s";

    private final TestDatabase database;

    private final ContractApplication application;

    private final Inbox inbox;

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    InboxTest(ContractApplications applications) {
        database = applications.database();
        application = applications.start(List.of(Bookings.class), "idempotency.wait-timeout=" + WAIT_TIMEOUT);
        inbox = application.bean(Inbox.class);
        jdbc = application.bean(JdbcTemplate.class);
        transaction = application.transaction();
    }

    @Test
    void workIsDoneOnceForAMessageAndAConsumer() {
        assertThat(inbox.handleOnce("invoices", "m-1", () -> spend(5))).isTrue();
        assertThat(inbox.handleOnce("invoices", "m-1", () -> spend(5))).isFalse();
        assertThat(inbox.handleOnce("reports", "m-1", () -> spend(7))).isTrue();

        assertThat(application.spent()).isEqualTo(12);
        assertThat(application.outcomes().ofMessages())
                .containsExactly(MessageOutcome.HANDLED, MessageOutcome.DUPLICATE, MessageOutcome.HANDLED);
    }

    @Test
    void namesAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> inbox.handleOnce(" ", "m-1", () -> spend(5)))
                .withMessageContaining("The consumer of a message is blank");
        assertThatThrownBy(() -> inbox.handleOnce("invoices", null, () -> spend(5)))
                .isInstanceOf(MissingIdempotencyKeyException.class);
        assertThatThrownBy(() -> inbox.handleOnce("invoices", "a\nb", () -> spend(5)))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining("The id of a message for the consumer 'invoices' contains U+000A");
        assertThat(application.outcomes().ofMessages())
                .containsExactly(MessageOutcome.INVALID_ID, MessageOutcome.INVALID_ID);
        assertThat(application.spent()).isZero();
    }

    @Test
    void aBatchIsReducedToWhatIsNewInItsOwnOrder() {
        claim("b", "d");

        assertThat(claim("e", "d", "c", "e", "b", "a", "c")).containsExactly("e", "c", "a");
        assertThat(claim("e", "a")).isEmpty();
        assertThat(application.handledMessages())
                .containsExactly("invoices a", "invoices b", "invoices c", "invoices d", "invoices e");
    }

    /** The transaction is its caller's, who alone can repeat it. */
    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE})
    void aBatchThatWasHandledSinceTheSnapshotIsItsCallersToRepeat(int isolation) {
        TransactionTemplate isolated = application.transaction();
        isolated.setIsolationLevel(isolation);
        assertThatThrownBy(() -> isolated.executeWithoutResult(status -> {
                    jdbc.queryForObject("select count(*) from idempotency.processed_message", Integer.class);
                    CompletableFuture.runAsync(() -> claim("m-1")).join();
                    take("m-1", "m-2");
                }))
                .isInstanceOf(ConcurrencyFailureException.class)
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("40001"));

        assertThat(isolated.<List<String>>execute(status -> take("m-1", "m-2"))).containsExactly("m-2");
    }

    @Test
    void ofEqualIdsTheFirstMessageIsGiven() {
        record Message(String id, int place) {}

        List<Message> claimed = transaction.execute(status -> inbox.claimNew(
                "invoices", List.of(new Message("a", 1), new Message("b", 2), new Message("a", 3)), Message::id));

        assertThat(claimed).containsExactly(new Message("a", 1), new Message("b", 2));
    }

    @Test
    void aBatchWaitsForAnotherThatHasOneOfItsMessages() {
        Gate gate = new Gate();
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<List<String>> first = callers.start(() -> transaction.execute(status -> {
                List<String> mine = take("a", "b");
                gate.holdTheFirst();
                return mine;
            }));
            gate.awaitHeld();
            Call<List<String>> second = callers.start(() -> claim("c", "b"));
            database.backends().awaitBlocked(1);
            gate.open();

            assertThat(first.answer()).containsExactly("a", "b");
            assertThat(second.answer()).containsExactly("c");
        }
    }

    @Test
    void aBatchWaitsNoLongerThanTheWaitTimeoutAndTakesItsTransactionWithIt() {
        whileAnotherThreadHandlesB(() -> {
            List<Throwable> refusals = new ArrayList<>();

            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        spend(5);
                        refusals.add(catchThrowable(() -> take("a", "b")));
                    }))
                    .isInstanceOf(TransactionFailedException.class);

            assertThat(refusals)
                    .singleElement()
                    .asInstanceOf(type(RequestInProgressException.class))
                    .satisfies(refusal -> assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(2)))
                    .satisfies(refusal -> assertThat(refusal).hasMessageContainingAll("2 messages", "'invoices'"));
        });
        assertThat(application.handledMessages()).containsExactly("invoices b");
        assertThat(application.spent()).isZero();
    }

    @Test
    void aBatchWaitsNoLongerThanItsTransactionMayTake() {
        TransactionTemplate shortTransaction = application.transaction();
        shortTransaction.setTimeout(1);
        // Without the transaction's end each would wait for two seconds, however fast the machine.
        whileAnotherThreadHandlesB(() -> Awaitility.await("a short wait").untilAsserted(() -> {
            long start = System.nanoTime();
            assertThatThrownBy(() -> shortTransaction.execute(status -> take("b")))
                    .isInstanceOf(RequestInProgressException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_900));
        }));
    }

    @Test
    void aBatchInAReadOnlyTransactionIsRefused() {
        TransactionTemplate readOnly = application.transaction();
        readOnly.setReadOnly(true);

        assertThatThrownBy(() -> readOnly.execute(status -> take("b")))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("The open transaction is read-only");

        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aBatchThatIsRefusedInsideOfASavepointLeavesTheOuterTransaction() {
        TransactionTemplate nested = application.transaction(Propagation.NESTED);
        whileAnotherThreadHandlesB(() -> transaction.executeWithoutResult(status -> {
            spend(5);
            assertThatThrownBy(() -> nested.execute(inner -> take("b"))).isInstanceOf(RequestInProgressException.class);
            assertThat(take("a")).containsExactly("a");
        }));
        assertThat(application.handledMessages()).containsExactly("invoices a", "invoices b");
        assertThat(application.spent()).isEqualTo(5);
    }

    @Test
    void eachMessageOfABatchIsAnnouncedWhenItsTransactionEnds() {
        transaction.executeWithoutResult(status -> {
            claim("a", "b", "a");
            assertThat(application.outcomes().ofMessages()).isEmpty();
        });
        transaction.executeWithoutResult(status -> {
            claim("c", "b");
            status.setRollbackOnly();
        });

        assertThat(application.outcomes().messages())
                .extracting(MessageReceived::messageId, MessageReceived::outcome, MessageReceived::attempt)
                .containsExactly(
                        tuple("a", MessageOutcome.HANDLED, 1),
                        tuple("b", MessageOutcome.HANDLED, 1),
                        tuple("a", MessageOutcome.DUPLICATE, 0),
                        tuple("c", MessageOutcome.FAILED, 1),
                        tuple("b", MessageOutcome.DUPLICATE, 0));
    }

    @Test
    void aBatchThatASavepointTakesBackIsNotAnnouncedAsHandled() {
        TransactionTemplate nested = application.transaction(Propagation.NESTED);

        transaction.executeWithoutResult(status -> {
            claim("a");
            nested.executeWithoutResult(inner -> {
                claim("b");
                inner.setRollbackOnly();
            });
        });

        assertThat(application.handledMessages()).containsExactly("invoices a");
        assertThat(application.outcomes().messages())
                .extracting(MessageReceived::messageId, MessageReceived::outcome)
                .containsExactlyInAnyOrder(tuple("a", MessageOutcome.HANDLED), tuple("b", MessageOutcome.FAILED));
    }

    /** Its claim is its completion, so that nothing written later finds out. */
    @Test
    void workThatTakesItsOwnClaimBackWithASavepointLeavesNothing() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    assertThatThrownBy(() -> inbox.handleOnce("invoices", "m-1", () -> {
                                status.rollbackToSavepoint(savepoint);
                                spend(5);
                            }))
                            .isInstanceOf(TransactionFailedException.class)
                            .hasMessageContaining("its claim is gone");
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(application.handledMessages()).isEmpty();
        assertThat(application.spent()).isZero();
        assertThat(inbox.handleOnce("invoices", "m-1", () -> spend(5))).isTrue();
    }

    @Test
    void whatABatchHasTakenIsADuplicateInItsTransaction() {
        Bookings bookings = application.bean(Bookings.class);

        transaction.executeWithoutResult(status -> {
            assertThat(inbox.claimNew("bookings", List.of("a", "b"), id -> id)).containsExactly("a", "b");
            assertThat(inbox.claimNew("bookings", List.of("b", "c"), id -> id)).containsExactly("c");
            assertThat(inbox.handleOnce("bookings", "a", () -> spend(5))).isFalse();
            assertThat(bookings.book("b", 5)).isNull();
            assertThat(bookings.book("d", 7)).isEqualTo(1);
            assertThat(inbox.claimNew("bookings", List.of("d"), id -> id)).isEmpty();
        });

        assertThat(application.spent()).isEqualTo(7);
    }

    @Test
    void aBatchWithTheMessageThatIsBeingHandledIsRefusedAtOnce() {
        TransactionTemplate another = application.transaction(Propagation.REQUIRES_NEW);

        assertThatThrownBy(() -> inbox.handleOnce("invoices", "a", () -> claim("b", "a")))
                .isInstanceOf(ReentrantCallException.class)
                .hasMessageContaining("still running");
        assertThatThrownBy(() -> inbox.handleOnce("invoices", "a", () -> another.execute(status -> claim("a"))))
                .isInstanceOf(ReentrantCallException.class)
                .hasMessageContaining("suspended");

        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aTransactionThatIsOverTakesNoBatch() {
        List<Throwable> refusals = new ArrayList<>();
        transaction.executeWithoutResult(
                status -> Callbacks.afterCompletion(completion -> refusals.add(catchThrowable(() -> take("a")))));

        assertThat(refusals).singleElement().isInstanceOf(TransactionMismatchException.class);
        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aBatchForgetsTheFailuresOfItsMessages() {
        assertThatThrownBy(() -> inbox.handleOnce("invoices", "a", () -> {
                    throw new IOException("no paper");
                }))
                .isInstanceOf(IOException.class);
        assertThat(application.messageFailures()).hasSize(1);

        assertThat(claim("a", "b")).containsExactly("a", "b");

        assertThat(application.messageFailures()).isEmpty();
    }

    @Test
    void aNestedTransactionThatFailsGivesItsMessageBack() {
        TransactionTemplate nested = application.transaction(Propagation.NESTED);

        transaction.executeWithoutResult(status -> {
            assertThatThrownBy(() -> nested.executeWithoutResult(inner -> inbox.handleOnce("invoices", "a", () -> {
                        spend(5);
                        throw new IllegalStateException("no paper");
                    })))
                    .hasMessage("no paper");
            assertThat(inbox.handleOnce("invoices", "a", () -> spend(7))).isTrue();
        });

        assertThat(application.spent()).isEqualTo(7);
        assertThat(application.handledMessages()).containsExactly("invoices a");
    }

    @Test
    void aBatchWithAMalformedIdTouchesNothing() {
        assertThatThrownBy(() -> claim("a", " ")).isInstanceOf(InvalidIdempotencyKeyException.class);
        assertThatThrownBy(() -> transaction.execute(
                        status -> inbox.claimNew("invoices", List.of("a", "b"), id -> id.equals("b") ? null : id)))
                .isInstanceOf(MissingIdempotencyKeyException.class);
        assertThatThrownBy(() -> transaction.execute(
                        status -> inbox.claimNew("invoices", Arrays.asList("a", null), String::strip)))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContaining("is null, because it has no value or could not be read");

        assertThat(application.outcomes().ofMessages())
                .containsExactly(MessageOutcome.INVALID_ID, MessageOutcome.INVALID_ID, MessageOutcome.INVALID_ID);
        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void anEmptyBatchNeedsNothing() {
        assertThat(inbox.claimNew("invoices", List.<String>of(), id -> id)).isEmpty();
    }

    @Test
    void aBatchNeedsATransaction() {
        assertThatThrownBy(() -> take("a"))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("@Transactional");

        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aTransactionOnAnotherDataSourceIsRefusedEvenIfOursWasUsedInIt() {
        TransactionTemplate other =
                new TransactionTemplate(new DataSourceTransactionManager(database.adminDataSource()));

        assertThatThrownBy(() -> other.execute(status -> {
                    jdbc.queryForObject("select 1", Integer.class);
                    return take("a");
                }))
                .isInstanceOf(TransactionMismatchException.class);

        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aTransactionOfAnyManagerOfOurDataSourceWillDo() {
        TransactionTemplate other =
                new TransactionTemplate(new DataSourceTransactionManager(application.bean(DataSource.class)));

        assertThat(other.<List<String>>execute(status -> take("a"))).containsExactly("a");
        assertThat(application.handledMessages()).containsExactly("invoices a");
    }

    @Test
    void aBatchAndSingleMessagesThatLockEachOutEndWithADeadlockErrorOfOneOfThem() {
        Gate gate = new Gate();
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<Throwable> singles =
                    callers.start(() -> catchThrowable(() -> transaction.executeWithoutResult(status -> {
                        inbox.handleOnce("invoices", "b", () -> spend(5));
                        gate.holdTheFirst();
                        inbox.handleOnce("invoices", "a", () -> spend(5));
                    })));
            gate.awaitHeld();
            Call<Throwable> batch = callers.start(() -> catchThrowable(() ->
                    transaction.executeWithoutResult(status -> take("b", "a").forEach(id -> spend(5)))));
            database.backends().awaitBlocked(1);
            gate.open();

            assertThat(Stream.of(singles.answer(), batch.answer()).filter(Objects::nonNull))
                    .singleElement()
                    .satisfies(failure -> assertThat(failure)
                            .rootCause()
                            .asInstanceOf(type(SQLException.class))
                            .returns("40P01", SQLException::getSQLState));
        }
        assertThat(application.handledMessages()).containsExactly("invoices a", "invoices b");
        assertThat(application.spent()).isEqualTo(10);
    }

    /** In a transaction of its own. */
    private List<String> claim(String... ids) {
        return transaction.execute(status -> take(ids));
    }

    private List<String> take(String... ids) {
        return inbox.claimNew("invoices", List.of(ids), id -> id);
    }

    private void whileAnotherThreadHandlesB(Runnable work) {
        try (Callers callers = Callers.onPlatformThreads()) {
            Gate gate = new Gate();
            Call<Boolean> holder = callers.start(() -> inbox.handleOnce("invoices", "b", gate::holdTheFirst));
            gate.awaitHeld();

            work.run();

            gate.open();
            assertThat(holder.answer()).isTrue();
        }
    }

    private void spend(long cents) {
        jdbc.update("update account set cents = cents - ? where name = 'a1'", cents);
    }
}
