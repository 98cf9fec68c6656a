package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A transaction that the library took part in either says that it failed, or everything is in the database, whatever the
 * application does to it before the COMMIT.
 */
@ContractTest
class AcknowledgedMeansDurableTest {

    private static final List<TransactionKind> KINDS = List.of(TransactionKind.JDBC, TransactionKind.JPA);

    private static final UUID TAKEN = UUID.randomUUID();

    private final Map<TransactionKind, ContractApplication> applications;

    private final JdbcTemplate committed;

    private final AtomicInteger cases = new AtomicInteger();

    AcknowledgedMeansDurableTest(ContractApplications applications) {
        committed = new JdbcTemplate(applications.database().dataSource());
        this.applications =
                TransactionKind.startEach(KINDS, applications, Till.class, "idempotency.outbox.relay=false");
    }

    @BeforeEach
    void takeAnId() {
        committed.update("insert into payment (id, account, cents) values (?, 'taken', 5)", TAKEN);
    }

    static Stream<Arguments> parts() {
        return KINDS.stream().flatMap(kind -> Stream.of(Part.values()).map(part -> Arguments.of(kind, part)));
    }

    @ParameterizedTest
    @MethodSource("parts")
    void whatIsAcknowledgedIsInTheDatabase(TransactionKind kind, Part part) {
        List<String> violations = new ArrayList<>();
        for (Place place : Place.values()) {
            for (Deed deed : Deed.values()) {
                if (deed.beginsAnotherTransaction() && part.isCallersTransactionAt(place)) {
                    // Nothing tells it from a rollback to a savepoint before the claim, which the caller may do.
                    continue;
                }
                findViolation(applications.get(kind), part, place, deed).ifPresent(violations::add);
            }
        }
        assertThat(violations).isEmpty();
    }

    /** Where every manager is for another database. */
    @Test
    void whatIsAcknowledgedIsInTheDatabaseWhereTheLibraryManagesTheTransaction(TestDatabase database) {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {Elsewhere.class})) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);

            assertThatThrownBy(() -> application
                            .getBean(IdempotencyOperations.class)
                            .call("elsewhere", "elsewhere", null)
                            .run(() -> TransactionSynchronizationManager.registerSynchronization(
                                    new Callback(() -> {}, () -> jdbc.execute("select 1/0")))))
                    .isInstanceOf(TransactionFailedException.class);

            assertThat(count(Part.CALL.evidence, "elsewhere")).isZero();
        }
    }

    private Optional<String> findViolation(ContractApplication application, Part part, Place place, Deed deed) {
        Till till = application.bean(Till.class);
        Desk desk = application.bean(Desk.class);
        Till.told.set(0);
        application.outcomes().clear();
        String key = "key-" + cases.incrementAndGet();

        Throwable thrown = catchThrowable(() -> part.run(till, desk, key, () -> {
            till.events.publishEvent(new AfterCommit());
            place.put(till, () -> deed.on(till));
        }));

        List<String> problems = new ArrayList<>();
        boolean isEffectKept = count("select count(*) from payment where account = ?", key) == 1;
        if (thrown == null) {
            if (!isEffectKept || count(part.evidence, key) != 1) {
                problems.add("was acknowledged and is not in the database");
            }
            if (Till.told.get() != 1) {
                problems.add("was acknowledged and told to " + Till.told + " listeners");
            }
        } else {
            if (deed.isHarmless()) {
                problems.add("failed with " + thrown);
            }
            if (Till.told.get() != 0) {
                problems.add("failed and was told after a commit: " + thrown);
            }
            if (isEffectKept && !deed.commits()) {
                problems.add("failed and is in the database: " + thrown);
            }
            if (application.outcomes().all().contains(Outcome.EXECUTED)
                    || application.outcomes().ofMessages().contains(MessageOutcome.HANDLED)) {
                problems.add("failed and was reported as done: " + thrown);
            }
        }
        return problems.isEmpty() ? Optional.empty() : Optional.of(deed + " " + place + ": " + problems);
    }

    private int count(String query, String key) {
        return committed.queryForObject(query, Integer.class, key);
    }

    /** Of the library in a transaction. */
    private enum Part {
        CALL("select count(*) from idempotency.idempotency_request where status = 'succeeded' and idempotency_key = ?"),
        CALL_WITHOUT_RESPONSE(CALL.evidence),
        RECEIVER("select count(*) from idempotency.processed_message where message_id = ?"),
        CALL_THAT_JOINS(CALL.evidence),
        JOINED_CALL(CALL.evidence),
        JOINED_CALL_WITHOUT_RESPONSE(CALL.evidence),
        JOINED_RECEIVER(RECEIVER.evidence),
        BATCH(RECEIVER.evidence),
        PUBLISHING("select count(*) from idempotency.outbox_event where payload::text = '\"' || ? || '\"'"),
        LOCK("select count(*) from payment where account = ?");

        /** That it is kept. */
        private final String evidence;

        Part(String evidence) {
            this.evidence = evidence;
        }

        void run(Till till, Desk desk, String key, Runnable further) {
            switch (this) {
                case CALL -> desk.pay(key, further);
                case CALL_WITHOUT_RESPONSE -> desk.payQuietly(key, further);
                case RECEIVER -> desk.receive(key, further);
                case CALL_THAT_JOINS -> till.inTransaction(() -> desk.payQuietly(key, further));
                default ->
                    till.inTransaction(() -> {
                        join(till, desk, key);
                        further.run();
                    });
            }
        }

        private void join(Till till, Desk desk, String key) {
            switch (this) {
                case JOINED_CALL -> desk.pay(key, () -> {});
                case JOINED_CALL_WITHOUT_RESPONSE -> desk.payQuietly(key, () -> {});
                case JOINED_RECEIVER -> desk.receive(key, () -> {});
                case BATCH ->
                    till.inbox.claimNew("desk-batches", List.of(key), id -> id).forEach(till::makeEffect);
                case PUBLISHING -> {
                    till.makeEffect(key);
                    till.outbox.publish(
                            OutboxMessage.of("desk", "Paid").payload(key).build());
                }
                case LOCK -> {
                    till.locks.acquire("desk", key, Duration.ofSeconds(5));
                    till.makeEffect(key);
                }
                default -> throw new AssertionError(this);
            }
        }

        private boolean isCallersTransactionAt(Place place) {
            return switch (this) {
                case CALL, CALL_WITHOUT_RESPONSE, RECEIVER -> false;
                case CALL_THAT_JOINS -> place != Place.AT_THE_END;
                default -> true;
            };
        }
    }

    /** Between the last statement of the library and the COMMIT. */
    private enum Place {
        AT_THE_END,
        IN_AN_EVENT_LISTENER_BEFORE_COMMIT,
        BEFORE_COMMIT,
        BEFORE_COMPLETION,
        BEFORE_COMPLETION_BY_A_CALLBACK_BEFORE_COMMIT;

        void put(Till till, Runnable deed) {
            switch (this) {
                case AT_THE_END -> deed.run();
                case IN_AN_EVENT_LISTENER_BEFORE_COMMIT -> till.events.publishEvent(new BeforeCommit(deed));
                case BEFORE_COMMIT ->
                    TransactionSynchronizationManager.registerSynchronization(new Callback(deed, () -> {}));
                case BEFORE_COMPLETION ->
                    TransactionSynchronizationManager.registerSynchronization(new Callback(() -> {}, deed));
                case BEFORE_COMPLETION_BY_A_CALLBACK_BEFORE_COMMIT ->
                    BEFORE_COMMIT.put(till, () -> BEFORE_COMPLETION.put(till, deed));
            }
        }
    }

    /** Of the application to its transaction. */
    private enum Deed {
        NOTHING,
        QUERY,
        ERROR_THAT_A_SAVEPOINT_HEALS,
        SWALLOWED_ERROR,
        THROWN_ERROR,
        ROLLBACK,
        ROLLBACK_AND_MORE,
        ROLLBACK_AND_LOCK,
        ROLLBACK_AND_CALL,
        ROLLBACK_AND_MESSAGE,
        ROLLBACK_AND_BATCH,
        ROLLBACK_MORE_AND_COMMIT,
        COMMIT,
        COMMIT_AND_MORE;

        boolean isHarmless() {
            return this == NOTHING || this == QUERY || this == ERROR_THAT_A_SAVEPOINT_HEALS;
        }

        boolean commits() {
            return name().startsWith("COMMIT");
        }

        boolean beginsAnotherTransaction() {
            return name().startsWith("ROLLBACK_AND_");
        }

        void on(Till till) {
            if (beginsAnotherTransaction()) {
                till.onConnection(Connection::rollback);
            } else if (commits()) {
                till.onConnection(Connection::commit);
            }
            switch (this) {
                case NOTHING -> {}
                case QUERY -> till.query();
                case ERROR_THAT_A_SAVEPOINT_HEALS ->
                    till.onConnection(connection -> {
                        Savepoint savepoint = connection.setSavepoint();
                        till.failAndSwallow();
                        connection.rollback(savepoint);
                    });
                case SWALLOWED_ERROR -> till.failAndSwallow();
                case THROWN_ERROR -> till.fail();
                case ROLLBACK -> till.onConnection(Connection::rollback);
                case ROLLBACK_AND_MORE, COMMIT_AND_MORE -> till.makeEffect("more");
                case ROLLBACK_AND_LOCK -> till.locks.acquire("till", "more", Duration.ofSeconds(5));
                case ROLLBACK_AND_CALL ->
                    till.operations
                            .call("till", UUID.randomUUID().toString(), null)
                            .run(() -> till.makeEffect("more"));
                case ROLLBACK_AND_MESSAGE ->
                    till.inbox.handleOnce("till", UUID.randomUUID().toString(), () -> till.makeEffect("more"));
                case ROLLBACK_AND_BATCH ->
                    till.inbox.claimNew("till", List.of(UUID.randomUUID().toString()), id -> id);
                case ROLLBACK_MORE_AND_COMMIT -> {
                    ROLLBACK_AND_MORE.on(till);
                    COMMIT.on(till);
                }
                case COMMIT -> {}
            }
        }
    }

    /** After all others of the application. */
    private record Callback(Runnable beforeCommitting, Runnable beforeCompleting)
            implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            beforeCommitting.run();
        }

        @Override
        public void beforeCompletion() {
            beforeCompleting.run();
        }
    }

    record BeforeCommit(Runnable deed) {}

    record AfterCommit() {}

    @FunctionalInterface
    private interface OnConnection {

        void accept(Connection connection) throws SQLException;
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new JdbcTransactionManager(new PGSimpleDataSource());
        }
    }

    /** What the application has at hand. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    record Till(
            JdbcTemplate jdbc,
            PlatformTransactionManager manager,
            ApplicationEventPublisher events,
            Inbox inbox,
            Outbox outbox,
            TransactionLocks locks,
            IdempotencyOperations operations) {

        /** How many listeners were told of a commit. */
        private static final AtomicInteger told = new AtomicInteger();

        @Bean
        Desk desk() {
            return new Desk(this);
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        void beforeCommit(BeforeCommit event) {
            event.deed.run();
        }

        @TransactionalEventListener
        void afterCommit(AfterCommit event) {
            told.incrementAndGet();
        }

        private void inTransaction(Runnable work) {
            new TransactionTemplate(manager).executeWithoutResult(status -> work.run());
        }

        private void makeEffect(String key) {
            jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), ?, 5)", key);
        }

        private void query() {
            jdbc.queryForList("select name from account limit 1");
        }

        private void fail() {
            jdbc.update("insert into payment (id, account, cents) values (?, 'taken', 5)", TAKEN);
        }

        private void failAndSwallow() {
            assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(this::fail);
        }

        private void onConnection(OnConnection work) {
            jdbc.execute((Connection connection) -> {
                work.accept(connection);
                return null;
            });
        }
    }

    static class Desk {

        private final Till till;

        Desk(Till till) {
            this.till = till;
        }

        @Transactional
        @Idempotent(scope = "desk", key = "#key", fingerprint = "'same'")
        public String pay(String key, Runnable further) {
            till.makeEffect(key);
            further.run();
            return "paid";
        }

        @Transactional
        @Idempotent(scope = "desk-quiet", key = "#key", fingerprint = "'same'")
        public void payQuietly(String key, Runnable further) {
            till.makeEffect(key);
            further.run();
        }

        @Transactional
        @IdempotentReceiver(consumer = "desk", messageId = "#id")
        public void receive(String id, Runnable further) {
            till.makeEffect(id);
            further.run();
        }
    }
}
