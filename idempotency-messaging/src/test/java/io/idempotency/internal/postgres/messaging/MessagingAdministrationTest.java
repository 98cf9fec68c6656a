package io.idempotency.internal.postgres.messaging;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import io.idempotency.BlockedClaims.BlockedClaim;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.InterventionRefusedException;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.inbox.InboxMessage;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** What operators see of messages and do with them. */
@PostgresTest
class MessagingAdministrationTest {

    private static final Reason REASON = new Reason("ada", "the topic exists now");

    private final TestDatabase database;
    private final PostgresStorage storage;
    private final MessagingAdministration administration;
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.idempotency.administration");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    MessagingAdministrationTest(TestDatabase database) {
        this.database = database;
        this.storage = MigratedTables.in(database);
        this.administration = new PostgresMessageStorage(database.dataSource(), MigratedTables.SCHEMA).administration();
    }

    @BeforeEach
    void listenToTheLog() {
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_001})
    void aLimitOutOfRangeIsRefused(int limit) {
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findFailingMessages(limit));
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findPendingMessages(limit));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> administration.findDeadMessages(limit))
                .withMessageContaining("1 to 1000");
    }

    @Test
    void aRequeueIsOneLineOfTheLogAndARefusedOneIsNone() {
        UUID dead = message("dead");

        administration.requeue(dead, REASON);

        assertThat(administration.findDeadMessages(10)).isEmpty();
        assertThat(log.list).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage())
                    .isEqualTo(
                            "Operator intervention: requeue message " + dead + " by ada because the topic exists now");
            assertThat(line.getKeyValuePairs())
                    .extracting(pair -> pair.key + "=" + pair.value)
                    .containsExactly("operation=requeue", "message_id=" + dead, "who=ada", "why=the topic exists now");
        });
        assertThatThrownBy(() -> administration.requeue(dead, REASON))
                .isInstanceOf(InterventionRefusedException.class)
                .hasMessageContaining("it is not dead but pending");
        assertThat(log.list).hasSize(1);
    }

    private UUID message(String status) {
        return database.jdbc().queryForObject("""
                        insert into idempotency.outbox_event (
                            message_id, topic, message_type, payload, headers, status, attempt_count, last_error, lane,
                            created_at, due_at, next_attempt_at)
                        values (gen_random_uuid(), 'orders', 'Placed', '{}', '{}', ?, 15, 'no topic', 0, now(), now(), now())
                        returning message_id""", UUID.class, status);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "first_failed_at = '-infinity', last_failed_at = 'infinity', expires_at = 'infinity'",
                "first_failed_at = '4713-01-01 BC', last_failed_at = '294276-12-31', expires_at = '294276-12-31'",
                "attempt_count = 2147483647, failure_code = '', failure_message = chr(7), message_type = ''",
                "attempt_count = -1, consumer = chr(7), message_id = ''",
            })
    void aFailureThatWasWrittenByHandHidesNoOther(String change) {
        database.jdbc().update("""
                insert into idempotency.message_failure
                select 'stock', id, null, 1, 'code', 'message', now(), now(), now() + interval '1 day'
                from unnest(array['m-1', 'm-2']) as message (id)""");
        database.jdbc().update("update idempotency.message_failure set " + change + " where message_id = 'm-1'");

        assertThat(administration.findFailingMessages(10)).hasSize(2);
        assertThat(storage.statistics().sample(10).oldestExpired()).isNotEmpty();
        database.jdbc().execute("truncate idempotency.message_failure");
    }

    @ParameterizedTest
    @ValueSource(strings = {"processed_at = 'infinity', expires_at = 'infinity'", "processed_at = '-infinity'"})
    void aHandledMessageThatWasWrittenByHandIsShown(String change) {
        database.jdbc().update("""
                insert into idempotency.processed_message
                values ('stock', 'm-1', null, null, null, now(), now() + interval '1 day')""");
        database.jdbc().update("update idempotency.processed_message set " + change);

        assertThat(administration.findHandledMessage("stock", "m-1")).isPresent();
        assertThat(storage.statistics().sample(10).oldestExpired()).isNotEmpty();
        database.jdbc().execute("truncate idempotency.processed_message");
    }

    /** The statements of deliveries name other tables than those of calls. */
    @Test
    void deliveriesThatWaitAreAmongTheBlockedStatements() throws Exception {
        waits(Deliveries.message("m-1"), Deliveries.message("m-1"));
        waits(Deliveries.event("s", 1, DeliveryOrder.MONOTONIC), Deliveries.event("s", 2, DeliveryOrder.MONOTONIC));
    }

    private void waits(InboxMessage held, InboxMessage waitingFor) throws SQLException {
        try (Connection holder = database.connection();
                Connection waiting = database.connection()) {
            Deliveries first = new Deliveries(holder);
            Deliveries second = new Deliveries(waiting);
            first.claim(held);
            CompletableFuture<?> waits = CompletableFuture.runAsync(() -> second.claim(waitingFor));
            database.backends().awaitBlocked(waiting);

            assertThat(storage.administration(null).findBlockedClaims(10).claims())
                    .extracting(BlockedClaim::backend, BlockedClaim::blocker)
                    .containsExactly(tuple(Backends.pidOf(waiting), Backends.pidOf(holder)));

            first.rollback();
            waits.join();
            second.rollback();
        }
    }
}
