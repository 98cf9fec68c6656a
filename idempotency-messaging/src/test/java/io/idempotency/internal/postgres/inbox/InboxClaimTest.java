package io.idempotency.internal.postgres.inbox;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.inbox.InboxBatchResult;
import io.idempotency.internal.inbox.InboxClaim;
import io.idempotency.internal.inbox.InboxMessage;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.inbox.StreamPosition;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.Interleaved;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static io.idempotency.internal.postgres.Deliveries.event;
import static io.idempotency.internal.postgres.Deliveries.message;
import static io.idempotency.internal.postgres.Deliveries.messageWithPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** What a delivery meets, and what is left in the tables of the inbox. */
@Tag("citus")
@PostgresTest
class InboxClaimTest {

    private static final Duration SHORT = Duration.ofMillis(150);

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private Deliveries first;
    private Deliveries second;

    InboxClaimTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        first = new Deliveries(database.dataSource());
        second = new Deliveries(database.dataSource());
    }

    @AfterEach
    void close() throws SQLException {
        first.close();
        second.close();
        admin.execute(
                "truncate idempotency.processed_message, idempotency.message_failure, idempotency.stream_position");
    }

    @Nested
    class OfAMessage {

        @Test
        void thatIsNewIsTakenAndTheRowTellsWhatIsKnown() throws SQLException {
            InboxMessage receipt = messageWithPayload("m-1", "payload");

            assertThat(first.claim(receipt)).satisfies(met -> assertTaken(met, 0));
            first.commit();

            assertThat(admin.queryForMap("select * from idempotency.processed_message"))
                    .containsEntry("consumer", "invoices")
                    .containsEntry("message_id", "m-1")
                    .containsEntry("message_type", "created")
                    .containsEntry("payload_hash", receipt.payload().hash())
                    .containsEntry("hash_version", 1);
            assertThat(admin.queryForObject(
                            "select expires_at - processed_at between interval '14 days' and interval '14 days 1 minute'"
                                    + " and processed_at between now() - interval '1 minute' and now()"
                                    + " from idempotency.processed_message",
                            Boolean.class))
                    .isTrue();
        }

        @Test
        void thatWasHandledIsADuplicate() throws SQLException {
            first.claimAndCommit(message("m-1"));

            assertThat(first.claim(message("m-1"))).isEqualTo(InboxResult.of(InboxResult.Kind.DUPLICATE));
            assertThat(second.claim(message("m-1")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
        }

        /** Claims that wait for each other may have begun in the same microsecond. */
        @Test
        void whoseClaimWasRolledBackIsNotThatOfAnotherClaim() throws SQLException {
            InboxClaim rolledBack = claimOf(first);
            first.rollback();
            InboxClaim committed = claimOf(second);
            second.commit();

            assertThat(isCommitted(committed)).isTrue();
            assertThat(isCommitted(rolledBack)).isFalse();
        }

        /** The coordinator of Citus gives a transaction that writes on workers alone no number. */
        @NotOnCitus
        @Test
        void whoseClaimWasRolledBackIsNotThatOfAnotherClaimWithTheSameTime() throws SQLException {
            InboxClaim rolledBack = claimOf(first);
            first.rollback();
            InboxClaim committed = claimOf(second);
            second.commit();

            assertThat(isCommitted(new InboxClaim(committed.processedAt(), rolledBack.transactionId())))
                    .isFalse();
        }

        private InboxClaim claimOf(Deliveries deliveries) {
            return Objects.requireNonNull(deliveries.claim(message("m-1")).claim());
        }

        private boolean isCommitted(InboxClaim claim) throws SQLException {
            boolean isCommitted = new PostgresMessageStorage(null, MigratedTables.SCHEMA)
                    .inboxStore()
                    .isCommitted(first.connection(), message("m-1"), claim);
            first.rollback();
            return isCommitted;
        }

        @Test
        void thatThisTransactionHasTakenIsADuplicate() {
            first.claim(message("m-1"));

            assertThat(first.claim(message("m-1")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
        }

        @Test
        void isNewForEachConsumer() throws SQLException {
            first.claimAndCommit(message("m-1"));

            assertThat(first.claim(new InboxMessage("reports", "m-1", null, null, null, Deliveries.RETENTION))
                            .kind())
                    .isEqualTo(InboxResult.Kind.NEW);
        }

        @Test
        void withAnotherPayloadIsAConflict() throws SQLException {
            first.claimAndCommit(messageWithPayload("m-1", "payload"));

            assertThat(first.claim(messageWithPayload("m-1", "another")).kind()).isEqualTo(InboxResult.Kind.CONFLICT);
            assertThat(first.claim(messageWithPayload("m-1", "payload")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
        }

        @Test
        void thatWasHandledWithoutAPayloadIsADuplicateWithAny() throws SQLException {
            first.claimAndCommit(message("m-1"));

            assertThat(first.claim(messageWithPayload("m-1", "payload")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
        }
    }

    @Nested
    class OfAStream {

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                MONOTONIC | 3 1 7 5 7 8 1 | NEW LATE NEW LATE DUPLICATE NEW DUPLICATE | 8
                STRICT    | 2 1 2 5       | GAP NEW NEW GAP                           | 2
                STRICT    | 1 0 2         | NEW LATE NEW                              | 2
                """)
        void movesForwardOnlyAndInStrictOrderByOne(DeliveryOrder order, String versions, String kinds, long position)
                throws SQLException {
            long[] delivered = Arrays.stream(versions.split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();

            assertThat(kinds(order, delivered))
                    .extracting(InboxResult.Kind::name)
                    .containsExactly(kinds.split(" "));
            assertThat(position("s")).isEqualTo(position);
        }

        @Test
        void takesOneMessageOfEachVersion() throws SQLException {
            kinds(DeliveryOrder.MONOTONIC, 3);

            StreamPosition third = new StreamPosition("s", 3, DeliveryOrder.MONOTONIC, 1);
            assertThat(first.claimAndCommit(
                            new InboxMessage("invoices", "another", null, null, third, Deliveries.RETENTION)))
                    .isEqualTo(InboxResult.Kind.LATE);
        }

        @Test
        void inStrictOrderTakesTheSecondMessageIfTheFirstIsCommittedWhileItIsLookedFor() throws SQLException {
            second.claim(event("s", 1, DeliveryOrder.STRICT));
            try (Deliveries third = new Deliveries(
                    Interleaved.beforeFirst("select last_version", database.connection(), second::commit))) {

                assertThat(third.claimAndCommit(event("s", 2, DeliveryOrder.STRICT)))
                        .isEqualTo(InboxResult.Kind.NEW);
            }
            assertThat(position("s")).isEqualTo(2);
        }

        @Test
        void inStrictOrderSkipsEvenTheSmallestVersionAtItsVeryEnd() throws SQLException {
            assertThat(kinds(DeliveryOrder.MONOTONIC, Long.MAX_VALUE)).containsExactly(InboxResult.Kind.NEW);

            assertThat(kinds(DeliveryOrder.STRICT, Long.MIN_VALUE, -1, 5))
                    .containsOnly(InboxResult.Kind.LATE)
                    .hasSize(3);
            assertThat(position("s")).isEqualTo(Long.MAX_VALUE);
        }

        @Test
        void inStrictOrderEndsWithTheLargestVersion() throws SQLException {
            kinds(DeliveryOrder.MONOTONIC, Long.MAX_VALUE - 1);

            assertThat(kinds(DeliveryOrder.STRICT, Long.MAX_VALUE)).containsExactly(InboxResult.Kind.NEW);
        }

        @Test
        void inStrictOrderBeginsForEachConsumer() throws SQLException {
            kinds(DeliveryOrder.STRICT, 1);
            StreamPosition next = new StreamPosition("s", 2, DeliveryOrder.STRICT, 1);

            assertThat(first.claim(new InboxMessage("reports", "s-2", null, null, next, Deliveries.RETENTION)))
                    .isEqualTo(InboxResult.gap(1));
            first.rollback();
        }

        @Test
        void isOneForEachConsumerAndStream() throws SQLException {
            kinds(DeliveryOrder.MONOTONIC, 3);

            assertThat(first.claimAndCommit(event("other", 1, DeliveryOrder.MONOTONIC)))
                    .isEqualTo(InboxResult.Kind.NEW);
            StreamPosition position = new StreamPosition("s", 1, DeliveryOrder.MONOTONIC, 1);
            assertThat(first.claimAndCommit(
                            new InboxMessage("reports", "s-1", null, null, position, Deliveries.RETENTION)))
                    .isEqualTo(InboxResult.Kind.NEW);
        }

        private List<InboxResult.Kind> kinds(DeliveryOrder order, long... versions) throws SQLException {
            List<InboxResult.Kind> kinds = new ArrayList<>();
            for (long version : versions) {
                kinds.add(first.claimAndCommit(event("s", version, order)));
            }
            return kinds;
        }

        private long position(String stream) {
            return admin.queryForObject(
                    "select last_version from idempotency.stream_position where stream_id = ?", Long.class, stream);
        }
    }

    @Nested
    class ThatFailed {

        @Test
        void isCountedWithItsFirstAndItsLastFailure() throws SQLException {
            first.recordFailureAndCommit(messageWithPayload("m-1", "a"), "first", "one");
            first.recordFailureAndCommit(messageWithPayload("m-1", "a"), "second", "two");

            assertThat(failures())
                    .singleElement()
                    .satisfies(row -> assertThat(row)
                            .containsEntry("attempt_count", 2)
                            .containsEntry("message_type", "created")
                            .containsEntry("failure_code", "second")
                            .containsEntry("failure_message", "two"));
            assertThat(admin.queryForObject(
                            "select first_failed_at < last_failed_at from idempotency.message_failure", Boolean.class))
                    .isTrue();
            assertThat(admin.queryForList("select 1 from idempotency.processed_message"))
                    .isEmpty();
        }

        @Test
        void isKeptAsLongAsTheMessageWouldBe() throws SQLException {
            first.recordFailureAndCommit(message("m-1"), "code", "message");

            assertThat(admin.queryForObject(
                            "select expires_at - last_failed_at from idempotency.message_failure", String.class))
                    .isEqualTo("14 days");
        }

        @Test
        void tellsTheNextDeliveryAndIsForgottenWithItsSuccess() throws SQLException {
            first.recordFailureAndCommit(message("m-1"), "code", "message");
            first.recordFailureAndCommit(message("m-1"), "code", "message");

            assertThat(second.claim(message("m-1"))).satisfies(met -> assertTaken(met, 2));
            second.commit();

            assertThat(failures()).isEmpty();
        }

        @Test
        void isNotRecordedOnceTheMessageWasHandled() throws SQLException {
            first.claimAndCommit(message("m-1"));

            assertThat(second.recordFailureAndCommit(message("m-1"), "code", "message"))
                    .isFalse();
            assertThat(failures()).isEmpty();
        }

        @Test
        void waitsForADeliveryThatIsHandlingTheMessage() throws SQLException {
            first.claim(message("m-1"));
            ConcurrentCalls<Boolean> recording =
                    ConcurrentCalls.start(1, () -> second.recordFailureAndCommit(message("m-1"), "code", "message"));
            database.backends().awaitBlocked(second.connection());
            first.commit();

            assertThat(recording.await().requireAllSucceeded()).containsExactly(false);
            assertThat(failures()).isEmpty();
        }

        @NotOnCitus
        @Test
        void isSeenByADeliveryThatWaitedForItsRecord() throws SQLException {
            admin.execute("""
                    create function slow() returns trigger language plpgsql as
                    'begin perform pg_advisory_xact_lock(1); return new; end';
                    create trigger slow before insert on idempotency.message_failure
                    for each row execute function slow()""");
            try (Deliveries gate = new Deliveries(database.dataSource())) {
                gate.execute("select pg_advisory_xact_lock(1)");
                ConcurrentCalls<Boolean> recording =
                        ConcurrentCalls.start(1, () -> first.recordFailureAndCommit(message("m-1"), "code", "message"));
                database.backends().awaitBlocked(first.connection());
                ConcurrentCalls<InboxResult> waiting = ConcurrentCalls.start(1, () -> second.claim(message("m-1")));
                database.backends().awaitBlocked(second.connection());
                gate.commit();

                assertThat(recording.await().requireAllSucceeded()).containsExactly(true);
                assertThat(waiting.await().requireAllSucceeded())
                        .singleElement()
                        .satisfies(met -> assertTaken(met, 1));
                second.commit();
                assertThat(failures()).isEmpty();
            } finally {
                admin.execute("drop function slow cascade");
            }
        }

        @NotOnCitus
        @ParameterizedTest(name = "{0}, in a batch: {1}")
        @CsvSource({"repeatable read, false", "serializable, false", "repeatable read, true", "serializable, true"})
        void isForgottenByADeliveryWhoseSnapshotDoesNotShowIt(String isolation, boolean inABatch) throws SQLException {
            second.execute("set transaction isolation level " + isolation).query("select 1");
            first.recordFailureAndCommit(message("m-1"), "code", "message");

            assertRepeats(() -> {
                if (inABatch) {
                    second.claimNew(List.of("m-0", "m-1"));
                } else {
                    second.claim(message("m-1"));
                }
            });

            second.execute("set transaction isolation level " + isolation);
            if (inABatch) {
                assertThat(second.claimNew(List.of("m-0", "m-1"))).containsExactly("m-0", "m-1");
            } else {
                assertThat(second.claim(message("m-1"))).satisfies(met -> assertTaken(met, 1));
            }
            second.commit();
            assertThat(failures()).isEmpty();
        }

        private List<Map<String, Object>> failures() {
            return admin.queryForList("select * from idempotency.message_failure");
        }
    }

    @Nested
    class ThatWaits {

        @Test
        void learnsThatTheMessageWasHandledMeanwhile() throws SQLException {
            first.claim(message("m-1"));
            ConcurrentCalls<InboxResult> waiting = ConcurrentCalls.start(1, () -> second.claim(message("m-1")));
            database.backends().awaitBlocked(second.connection());
            first.commit();

            assertThat(waiting.await().requireAllSucceeded())
                    .containsExactly(InboxResult.of(InboxResult.Kind.DUPLICATE));
        }

        @Test
        void takesTheMessageIfTheOtherDeliveryIsRolledBack() throws SQLException {
            first.claim(message("m-1"));
            ConcurrentCalls<InboxResult> waiting = ConcurrentCalls.start(1, () -> second.claim(message("m-1")));
            database.backends().awaitBlocked(second.connection());
            first.rollback();

            assertThat(waiting.await().requireAllSucceeded()).singleElement().satisfies(met -> assertTaken(met, 0));
        }

        @Test
        void waitsNoLongerThanTheLimitForTheMessage() {
            first.claim(message("m-1"));

            InboxResult reception = second.claim(message("m-1"), SHORT);

            assertThat(reception.kind()).isEqualTo(InboxResult.Kind.IN_PROGRESS);
            assertThat((Throwable) reception.waitEnded()).hasMessageContaining("statement timeout");
        }

        @Test
        void waitsNoLongerThanTheLimitForTheStream() {
            first.claim(event("s", 1, DeliveryOrder.MONOTONIC));

            assertThat(second.claim(event("s", 2, DeliveryOrder.MONOTONIC), SHORT)
                            .kind())
                    .isEqualTo(InboxResult.Kind.IN_PROGRESS);
        }

        @Test
        void leavesTheApplicationsOwnLimitAsItWas() throws SQLException {
            second.execute("set statement_timeout = '7s'").commit();

            Duration limit = Duration.ofSeconds(1);
            second.claim(event("s", 1, DeliveryOrder.STRICT), limit);
            assertThat(second.query("show statement_timeout")).isEqualTo("7s");
            second.execute("select pg_sleep(1.01)").commit();
            second.claim(event("s", 1, DeliveryOrder.STRICT), limit);
            assertThat(second.query("show statement_timeout")).isEqualTo("7s");
            second.rollback();

            first.claim(message("m-1"));
            second.claim(message("m-1"), SHORT);
            second.rollback();
            assertThat(second.query("show statement_timeout")).isEqualTo("7s");
            second.execute("reset statement_timeout").commit();
        }
    }

    @Nested
    class OfABatch {

        @Test
        void takesWhatIsNew() throws SQLException {
            first.claimNew(List.of("b", "d"));
            first.commit();

            assertThat(first.claimNew(List.of("e", "d", "c", "b", "a"))).containsExactlyInAnyOrder("a", "c", "e");
            first.commit();
            assertThat(stored()).containsExactly("a", "b", "c", "d", "e");
        }

        @Test
        void takesNothingOfWhatThisTransactionHasTaken() {
            first.claimNew(List.of("b", "d"));

            assertThat(first.claimNew(List.of("e", "d", "c", "b", "a"))).containsExactlyInAnyOrder("a", "c", "e");
            assertThat(first.claimNew(List.of("e", "d", "c", "b", "a"))).isEmpty();
        }

        @Test
        void takesTheOthersIfTheOneThatItWaitedForIsHandled() throws SQLException {
            first.claim(message("c"));
            ConcurrentCalls<List<String>> waiting =
                    ConcurrentCalls.start(1, () -> claimAndCommit(second, List.of("e", "d", "c", "b", "a")));
            database.backends().awaitBlocked(second.connection());
            first.commit();

            assertThat(waiting.await().requireAllSucceeded()).containsExactly(List.of("e", "d", "b", "a"));
            assertThat(stored()).containsExactly("a", "b", "c", "d", "e");
        }

        @Test
        void takesAllIfTheDeliveryThatItWaitedForIsRolledBack() throws SQLException {
            first.claim(message("c"));
            ConcurrentCalls<List<String>> waiting =
                    ConcurrentCalls.start(1, () -> claimAndCommit(second, List.of("e", "d", "c", "b", "a")));
            database.backends().awaitBlocked(second.connection());
            first.rollback();

            assertThat(waiting.await().requireAllSucceeded()).containsExactly(List.of("e", "d", "c", "b", "a"));
            assertThat(stored()).containsExactly("a", "b", "c", "d", "e");
        }

        @NotOnCitus
        @ParameterizedTest
        @ValueSource(strings = {"repeatable read", "serializable"})
        void isRefusedIfItsSnapshotDoesNotShowARepeat(String isolation) throws SQLException {
            second.execute("set transaction isolation level " + isolation).query("select 1");
            first.claimAndCommit(message("c"));

            assertRepeats(() -> second.claimNew(List.of("a", "b", "c", "d", "e")));
            assertThat(stored()).containsExactly("c");
        }

        private List<String> stored() {
            return admin.queryForList(
                    "select message_id from idempotency.processed_message order by message_id", String.class);
        }

        @Test
        void isKeptAsLongAsItsReceiverSays() throws SQLException {
            first.claimNew(List.of("a", "b"));
            first.commit();

            assertThat(admin.queryForList(
                            "select expires_at - processed_at between interval '14 days' and interval '14 days 1 minute'"
                                    + " from idempotency.processed_message",
                            Boolean.class))
                    .containsExactly(true, true);
        }

        @Test
        void forgetsFailures() throws SQLException {
            first.recordFailureAndCommit(message("a"), "code", "message");
            first.recordFailureAndCommit(message("z"), "code", "message");

            first.claimNew(List.of("a", "b"));
            first.commit();

            assertThat(admin.queryForList("select message_id from idempotency.message_failure", String.class))
                    .containsExactly("z");
        }

        @Test
        void waitsNoLongerThanTheLimit() {
            first.claim(message("b"));

            long start = System.nanoTime();

            InboxBatchResult reception = second.claimBatch(List.of("a", "b", "c"), SHORT);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            assertThat(reception.handledBefore()).isEmpty();
            assertThat((Throwable) reception.waitEnded()).hasMessageContaining("statement timeout");
        }

        @Test
        void keepsIdsApartThatDifferInAnyCharacter() throws SQLException {
            List<String> ids = List.of(
                    "a", "A", "a ", " a", "e\u0301", "\u00e9", "\ud83d\ude00", "x".repeat(255), "a,b", "{a}", "\"");

            assertThat(first.claimNew(ids)).containsExactlyInAnyOrderElementsOf(ids);
            first.commit();
            assertThat(first.claimNew(ids)).isEmpty();
            for (String id : ids) {
                assertThat(first.claim(message(id)).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
            }
        }

        @Test
        void mayHaveManyThousandMessages() throws SQLException {
            List<String> ids =
                    IntStream.range(0, 40_000).mapToObj(i -> "m-" + i).toList();

            assertThat(first.claimNew(ids)).hasSize(40_000);
            first.commit();
        }

        @Test
        void costsOneRoundTrip() throws Exception {
            List<String> ids = IntStream.range(0, 1_000).mapToObj(i -> "m-" + i).toList();
            try (RoundTripCounter counter = RoundTripCounter.of(database);
                    Deliveries counted = new Deliveries(counter.connection())) {
                counted.query("select 1");

                assertThat(counter.count(() -> assertThat(counted.claimNew(ids)).hasSize(1_000)))
                        .isEqualTo(1);
            }
        }

        @NotOnCitus
        @Test
        @Tag("race")
        void doesNotLockOutAnotherThatHasTheSameIdsInAnotherOrder() throws SQLException {
            int rounds = TestSize.pick(20, 200);
            for (int round = 0; round < rounds; round++) {
                String prefix = "round-" + round + "-";
                List<String> ids = new ArrayList<>(
                        IntStream.range(0, 500).mapToObj(i -> prefix + i).toList());
                List<String> reversed = new ArrayList<>(ids);
                Collections.reverse(reversed);

                List<List<String>> received = ConcurrentCalls.<List<String>>run(
                                List.of(() -> claimAndCommit(first, ids), () -> claimAndCommit(second, reversed)))
                        .requireAllSucceeded();

                List<String> all = received.stream().flatMap(List::stream).toList();
                assertThat(all).hasSize(500).doesNotHaveDuplicates();
            }
        }

        private static List<String> claimAndCommit(Deliveries deliveries, List<String> ids) throws SQLException {
            List<String> received = deliveries.claimNew(ids);
            deliveries.commit();
            return received;
        }
    }

    @Test
    void expiredMessagesAndFailuresAreForgotten() throws SQLException {
        first.claimAndCommit(message("old"));
        first.recordFailureAndCommit(message("old failure"), "code", "message");
        admin.execute("""
                update idempotency.processed_message set expires_at = now() - interval '1 second';
                update idempotency.message_failure set expires_at = now() - interval '1 second'""");
        first.claimAndCommit(message("young"));
        first.recordFailureAndCommit(message("young failure"), "code", "message");

        assertThat(MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                        .purgeStore("test", false)
                        .begin(Duration.ZERO)
                        .tables())
                .extracting(table -> table.deleteExpired(100).orElseThrow())
                .containsExactly(0, 1, 1, 0, 0);

        assertThat(admin.queryForList("select message_id from idempotency.processed_message", String.class))
                .containsExactly("young");
        assertThat(admin.queryForList("select message_id from idempotency.message_failure", String.class))
                .containsExactly("young failure");
    }

    @NotOnCitus
    @Test
    @Tag("race")
    void aDeliveryIsNeverBrokenByAPurge() {
        AtomicBoolean done = new AtomicBoolean();
        ConcurrentCalls<Void> purge = ConcurrentCalls.start(1, () -> {
            while (!done.get()) {
                admin.execute("delete from idempotency.processed_message; delete from idempotency.message_failure");
            }
        });
        try {
            int deliveries = TestSize.pick(300, 10_000);
            ConcurrentCalls.run(4, () -> {
                        try (Deliveries racing = new Deliveries(database.dataSource())) {
                            for (int i = 0; i < deliveries; i++) {
                                assertThat(racing.claimAndCommit(messageWithPayload("m-1", "a")))
                                        .isIn(InboxResult.Kind.NEW, InboxResult.Kind.DUPLICATE);
                                racing.recordFailureAndCommit(message("m-2"), "code", "message");
                                racing.claimNew(List.of("m-1", "m-2"));
                                racing.commit();
                            }
                        }
                    })
                    .requireAllSucceeded();
        } finally {
            done.set(true);
        }
        purge.await().requireAllSucceeded();
    }

    @Test
    void ofOneMessageCostsOneRoundTripAndASecondOneForItsStream() throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(database);
                Deliveries counted = new Deliveries(counter.connection())) {
            counted.query("select 1");

            assertThat(counter.count(() -> counted.claim(message("m-1")))).isEqualTo(1);
            assertThat(counter.count(() -> counted.claim(event("s", 1, DeliveryOrder.MONOTONIC))))
                    .isEqualTo(2);
        }
    }

    private void assertRepeats(Runnable reception) throws SQLException {
        assertThatThrownBy(reception::run)
                .rootCause()
                .asInstanceOf(type(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo("40001");
        second.rollback();
    }

    private static void assertTaken(InboxResult met, int failedBefore) {
        assertThat(met.kind()).isEqualTo(InboxResult.Kind.NEW);
        assertThat(met.failedBefore()).isEqualTo(failedBefore);
    }
}
