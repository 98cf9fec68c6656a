package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Deliveries.message;
import static io.idempotency.internal.postgres.Deliveries.messageWithPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** A message that is delivered on both sides of a bound between partitions, step by step. */
@PostgresTest
@Tag("race")
@Tag("full")
class PartitionBoundTest {

    private static PartitionedMessages messages;

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private Deliveries first;
    private Deliveries second;

    PartitionBoundTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        messages = PartitionedMessages.in(database, PartitionPeriod.of(Duration.ofSeconds(1)));
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
        admin.execute("drop function if exists slow cascade; truncate idempotency.processed_message");
    }

    @Test
    void isADuplicateBehindTheBound() throws SQLException {
        first.claimAndCommit(messageWithPayload("m-1", "a"));
        messages.passBound();

        assertThat(second.claim(messageWithPayload("m-1", "a")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
        assertThat(second.claim(messageWithPayload("m-1", "b")).kind()).isEqualTo(InboxResult.Kind.CONFLICT);
        assertThat(second.claimNew(List.of("m-1", "m-2"))).containsExactly("m-2");
        assertThat(second.recordFailureAndCommit(message("m-1"), "code", "message"))
                .isFalse();
        assertThat(admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                values ('invoices', 'm-1', now(), now() + interval '14 days')
                on conflict do nothing""")).isZero();
    }

    /** The lock that closes a partition waits for whoever has written, because others do not see that before it is committed. */
    @Test
    void theBoundIsNotMovedWhileAMessageIsBeingHandled() throws SQLException {
        first.claim(message("m-1"));
        messages.awaitBound();

        assertThat(messages.maintain()).isFalse();

        ConcurrentCalls<InboxResult> waiting = ConcurrentCalls.start(1, () -> second.claim(message("m-1")));
        database.backends().awaitBlocked(second.connection());
        first.commit();
        assertThat(waiting.await().requireAllSucceeded()).containsExactly(InboxResult.of(InboxResult.Kind.DUPLICATE));
        second.commit();
        assertThat(messages.maintain()).isTrue();
    }

    /** A transaction that does not come to an end would have all others wait behind that lock, for nothing. */
    @Test
    void nobodyWaitsBehindAClosingThatATransactionKeepsWaiting() throws SQLException {
        first.claim(message("m-1"));
        first.execute("select pg_sleep(1.1)");

        assertNobodyWaitsBehindTheClosing();
    }

    /** An automatic vacuum is cancelled only when somebody has waited for a second, and all others behind him. */
    @Test
    void nobodyWaitsBehindAClosingThatAVacuumKeepsWaiting() throws SQLException {
        messages.passBound();
        first.execute("lock table only " + openPartition() + " in share update exclusive mode");

        assertNobodyWaitsBehindTheClosing();
    }

    /** Where there is always somebody in the way, the bound would never be moved. */
    @Test
    void whatIsLateIsClosedWhoeverIsInTheWay() throws SQLException {
        messages.passBound();
        OffsetDateTime before = messages.openFrom();
        first.execute("lock table only " + openPartition() + " in share update exclusive mode");
        messages.awaitBound();
        beLate("10 minutes 30 seconds");
        assertThat(messages.maintain()).isFalse();

        beLate("10 minutes");
        ConcurrentCalls<Boolean> maintenance = ConcurrentCalls.start(1, messages::maintain);
        database.backends().awaitBlocked(1);
        first.commit();

        maintenance.await().requireAllSucceeded();
        assertThat(messages.openFrom()).isAfter(before);
    }

    private void beLate(String interval) {
        admin.update(
                "update idempotency.processed_message_head set open_until = clock_timestamp() - ?::interval", interval);
    }

    private void assertNobodyWaitsBehindTheClosing() throws SQLException {
        messages.awaitBound();
        AtomicBoolean over = new AtomicBoolean();
        ConcurrentCalls<Void> maintenance = ConcurrentCalls.start(1, () -> {
            while (!over.get()) {
                assertThat(messages.maintain()).isFalse();
            }
        });

        try {
            for (int i = 2; i < 50; i++) {
                assertThat(second.claimAndCommit(message("m-" + i))).isEqualTo(InboxResult.Kind.NEW);
                assertThat(database.backends().locks())
                        .noneMatch(lock -> lock.mode().equals("ShareRowExclusiveLock") && !lock.granted());
            }
        } finally {
            over.set(true);
        }
        maintenance.await().requireAllSucceeded();
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void whoDoesNotSeeTheBoundHasToRepeat(String isolation) throws SQLException {
        second.execute("set transaction isolation level " + isolation).query("select 1");
        messages.passBound();
        first.claimAndCommit(message("m-1"));

        assertRepeats(() -> second.claim(message("m-1")));

        second.execute("set transaction isolation level " + isolation);
        assertThat(second.claim(message("m-1")).kind()).isEqualTo(InboxResult.Kind.DUPLICATE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void aBatchThatDoesNotSeeTheBoundHasToRepeat(String isolation) throws SQLException {
        second.execute("set transaction isolation level " + isolation).query("select 1");
        messages.passBound();
        first.claimAndCommit(message("m-1"));

        assertRepeats(() -> second.claimNew(List.of("m-0", "m-1")));

        second.execute("set transaction isolation level " + isolation);
        assertThat(second.claimNew(List.of("m-0", "m-1"))).containsExactly("m-0");
    }

    /** What it looks for and where it stores have to be of one moment: that in which the statement begins. */
    @Test
    void aBatchThatBeganBeforeTheBoundHasToRepeatBehindIt() throws SQLException {
        slowDownStatements();
        try (Deliveries gate = new Deliveries(database.dataSource())) {
            gate.execute("select pg_advisory_xact_lock(1)");
            ConcurrentCalls<List<String>> batch =
                    ConcurrentCalls.start(1, () -> second.claimNew(List.of("m-0", "m-1")));
            database.backends().awaitBlocked(second.connection());
            admin.execute("set session_replication_role = replica;"
                    + "insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)"
                    + " values ('invoices', 'm-1', now(), now() + interval '14 days')");
            messages.passBound();
            gate.commit();

            assertThatThrownBy(() -> batch.await().requireAllSucceeded())
                    .satisfies(failure -> assertThat(failure)
                            .hasStackTraceContaining("was closed before the message could be stored"));
            second.rollback();
        }
        assertThat(second.claimNew(List.of("m-0", "m-1"))).containsExactly("m-0");
    }

    private String openPartition() {
        return admin.queryForObject("""
                select 'idempotency.' || name
                from idempotency.processed_message_partition
                where starts_at = (select open_from from idempotency.processed_message_head)""", String.class);
    }

    /** Before the statement has met any partition, but after it has got its snapshot. */
    private void slowDownStatements() {
        admin.execute("""
                create function slow() returns trigger language plpgsql as
                'begin perform pg_advisory_xact_lock(1); return null; end';
                create trigger slow before insert on idempotency.processed_message
                for each statement execute function slow()""");
    }

    private void assertRepeats(Runnable reception) throws SQLException {
        assertThatThrownBy(reception::run)
                .rootCause()
                .asInstanceOf(type(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo("40001");
        second.rollback();
    }
}
