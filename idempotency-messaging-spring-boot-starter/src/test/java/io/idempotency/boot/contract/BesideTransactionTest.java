package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.outbox.OutboxRelay;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.outbox.RelaySettings;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.internal.retention.StorageSampler;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What the library writes or asks beside an open transaction of the application leaves that as it was, whoever manages it. */
@ContractTest
@Tag("full")
class BesideTransactionTest {

    private static final IdempotencyAdministration.Reason REASON =
            new IdempotencyAdministration.Reason("a test", "on purpose");

    private static final List<TransactionKind> KINDS =
            List.of(TransactionKind.DATA_SOURCE, TransactionKind.JDBC, TransactionKind.JPA);

    private final TestDatabase database;

    private final CuttingProxy proxy;

    private final Map<TransactionKind, ContractApplication> applications;

    BesideTransactionTest(ContractApplications applications) {
        database = applications.database();
        this.proxy = applications.proxy();
        this.applications = TransactionKind.startEach(
                KINDS,
                applications,
                Teller.class,
                "idempotency.record-failed-attempts=true",
                "idempotency.outbox.relay=false",
                "idempotency.storage.maintenance=false");
    }

    @AfterEach
    void clear() {
        database.backends().awaitIdle();
        database.jdbc().execute("truncate idempotency.outbox_event");
    }

    static Stream<Arguments> surroundings() {
        return Stream.concat(
                KINDS.stream().map(kind -> Arguments.of(kind, false)),
                Stream.of(Arguments.of(TransactionKind.JPA, true)));
    }

    static Stream<Arguments> works() {
        return surroundings()
                .flatMap(where -> Stream.of(Work.values())
                        .flatMap(work -> Stream.of(true, false)
                                .map(commits -> Arguments.of(where.get()[0], where.get()[1], work, commits))));
    }

    @ParameterizedTest(name = "{0}, open in view {1}: {2}, commits {3}")
    @MethodSource("works")
    void theTransactionStaysWhole(TransactionKind kind, boolean openInView, Work work, boolean commits) {
        ContractApplication application = applications.get(kind);
        Teller teller = application.bean(Teller.class);
        work.prepare(this, application);

        Throwable thrown = catchThrowable(() -> in(
                openInView,
                application,
                () -> application.transaction().executeWithoutResult(status -> {
                    teller.write("before");
                    String transaction = teller.transaction();

                    work.run(this, application);

                    assertThat(written()).as("committed by the work").doesNotContain("before");
                    assertThat(teller.transaction()).as("transaction").isEqualTo(transaction);
                    assertThat(work.isDone(application)).as("done at once").isTrue();
                    teller.write("after");
                    if (!commits) {
                        status.setRollbackOnly();
                    }
                })));

        assertThat(written().stream().filter(List.of("before", "after")::contains))
                .as("of the transaction, which failed with %s", thrown)
                .containsExactlyElementsOf(commits && thrown == null ? List.of("after", "before") : List.of());
        assertThat(thrown).isNull();
        assertThat(work.isDone(application)).as("kept").isTrue();
        assertThat(written().stream().filter("of the call"::equals)).hasSize(work.effects);
    }

    static Stream<Arguments> leases() {
        return surroundings()
                .flatMap(where ->
                        Stream.of(true, false).map(succeeds -> Arguments.of(where.get()[0], where.get()[1], succeeds)));
    }

    @ParameterizedTest(name = "{0}, open in view {1}: succeeds {2}")
    @MethodSource("leases")
    void aLeaseIsExtendedBesideTheTransactionOfItsMethod(TransactionKind kind, boolean openInView, boolean succeeds) {
        ContractApplication application = applications.get(kind);
        Teller teller = application.bean(Teller.class);
        int before = teller.executions();

        Throwable thrown = catchThrowable(() -> in(
                openInView,
                application,
                () -> teller.writeLeased("key", () -> {
                    assertThat(written()).as("committed by the extension").isEmpty();
                    if (!succeeds) {
                        throw new IllegalStateException("on purpose");
                    }
                })));

        assertThat(written()).containsExactlyElementsOf(succeeds ? List.of("after", "before") : List.of());
        assertThat(teller.executions() - before).isEqualTo(1);
        if (succeeds) {
            assertThat(thrown).isNull();
            in(openInView, application, () -> teller.writeLeased("key", () -> {}));
            assertThat(teller.executions() - before).as("executions").isEqualTo(1);
        } else {
            assertThat(thrown).hasMessage("on purpose");
            assertThat(application.request("key")).containsEntry("status", "failed_retryable");
        }
    }

    /** A request with open-in-view brings its own session, on which its transactions run. */
    private static void in(boolean openInView, ContractApplication application, Runnable work) {
        if (!openInView) {
            work.run();
            return;
        }
        EntityManagerFactory factory = application.bean(EntityManagerFactory.class);
        EntityManager ofRequest = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(ofRequest));
        try {
            work.run();
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            ofRequest.close();
        }
    }

    /** What others see. */
    private List<String> written() {
        return database.jdbc().queryForList("select account from payment order by 1", String.class);
    }

    /** Done in the middle of a transaction, and no part of it. */
    private enum Work {
        SEARCH(0),
        FIND(0),
        RELEASE(0),
        COMPLETE(0),
        FORGET(0),
        PURGE(0),
        SAMPLE_TABLES(0),
        VALIDATE_SCHEMA(0),
        MAINTAIN_PARTITIONS(0),
        RELAY(0),
        RECORD_FINAL_FAILURE(0),
        RECORD_FAILED_ATTEMPT(0),
        RECORD_FAILED_DELIVERY(0),
        ASK_ABOUT_A_COMMIT_WITHOUT_ANSWER(1),
        ASK_ABOUT_A_COMMIT_THAT_WAS_NOT_SENT(0);

        static final Intent STALE = intent("stale", "stale");

        final int effects;

        Work(int effects) {
            this.effects = effects;
        }

        void prepare(BesideTransactionTest test, ContractApplication application) {
            switch (this) {
                case FORGET -> {
                    application.bean(Teller.class).writeForgettable("forgotten");
                    test.database.jdbc().execute("truncate payment");
                }
                case PURGE -> {
                    leaveAnExpiredLease(test, application);
                    application.alterRequest(
                            "stale", "status = 'failed_retryable', locked_until = null, expires_at = '2020-01-01'");
                }
                case RELAY ->
                    application
                            .transaction()
                            .executeWithoutResult(status -> application
                                    .bean(Outbox.class)
                                    .publish(OutboxMessage.of("topic", "type")
                                            .payload("payload")
                                            .build()));
                default -> leaveAnExpiredLease(test, application);
            }
        }

        private void leaveAnExpiredLease(BesideTransactionTest test, ContractApplication application) {
            if (name().contains("RECORD") || name().contains("ASK")) {
                return;
            }
            application.bean(Teller.class).writeStale("stale");
            application.alterRequest(
                    "stale",
                    "status = 'processing', claim_token = gen_random_uuid(), response_body = null,"
                            + " locked_until = clock_timestamp() - interval '1 second'");
            test.database.jdbc().execute("truncate payment");
        }

        void run(BesideTransactionTest test, ContractApplication application) {
            switch (this) {
                case SEARCH ->
                    assertThat(administration(application).search(null, null, "stale", null, 10))
                            .hasSize(1);
                case FIND -> {
                    assertThat(administration(application).find(STALE)).isPresent();
                    assertThat(administration(application).findResponse(STALE)).isEmpty();
                    assertThat(administration(application).findStaleLeases(10)).hasSize(1);
                    assertThat(administration(application).findAbandoned(10)).isEmpty();
                    assertThat(administration(application).findWithAttempts(5, 10))
                            .isEmpty();
                    assertThat(messages(application).findFailingMessages(10)).isEmpty();
                    assertThat(messages(application).findPendingMessages(10)).isEmpty();
                    assertThat(messages(application).findDeadMessages(10)).isEmpty();
                }
                case RELEASE -> administration(application).releaseStale(STALE, REASON);
                case COMPLETE -> administration(application).completeStale(STALE, "\"done\"", REASON);
                case FORGET -> administration(application).forget(intent("forgettable", "forgotten"), REASON);
                case PURGE -> unchecked(application.bean(Purge.class)::run);
                case SAMPLE_TABLES -> {
                    new StorageSampler(
                                    application.bean(PostgresStorage.class).statistics(), new IdempotencyListener() {})
                            .sample();
                    application.context().getBeansOfType(Sampler.class).values().forEach(Sampler::sample);
                }
                case VALIDATE_SCHEMA -> {
                    StorageSchema schema =
                            application.bean(PostgresStorage.class).schema();
                    unchecked(() -> {
                        schema.requireSupportedServer();
                        return true;
                    });
                    schema.validate();
                    assertThat(schema.findProblems()).isEmpty();
                    application.bean(PostgresMessageStorage.class).isPartitioned();
                }
                case MAINTAIN_PARTITIONS -> unchecked(application.bean(PartitionMaintenance.class)::run);
                case RELAY -> {
                    OutboxRelay relay = new OutboxRelay(
                            application.bean(OutboxStore.class),
                            message -> CompletableFuture.completedFuture(null),
                            new RelaySettings(
                                    10,
                                    Duration.ofSeconds(10),
                                    3,
                                    new Backoff(Duration.ofMillis(10), 2, Duration.ofSeconds(1))),
                            new MessagingListener() {});
                    relay.sendBatch();
                    relay.sample();
                }
                case RECORD_FINAL_FAILURE ->
                    assertThatThrownBy(() -> application.bean(Teller.class).writeAnew("failed", () -> {
                                throw new IllegalArgumentException("final");
                            }))
                            .hasMessage("final");
                case RECORD_FAILED_ATTEMPT ->
                    assertThatThrownBy(() -> application.bean(Teller.class).writeAnew("failed", () -> {
                                throw new IllegalStateException("again");
                            }))
                            .hasMessage("again");
                case RECORD_FAILED_DELIVERY ->
                    assertThatThrownBy(() -> application.bean(Teller.class).receiveAnew("failed", () -> {
                                throw new IllegalStateException("again");
                            }))
                            .hasMessage("again");
                case ASK_ABOUT_A_COMMIT_WITHOUT_ANSWER -> {
                    int cuts = test.proxy.cuts();
                    String answer = application
                            .bean(Teller.class)
                            .writeAnew(
                                    "unknown",
                                    () -> test.proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED));
                    assertThat(test.proxy.cuts() - cuts).isEqualTo(1);
                    assertThat(answer).isEqualTo("written");
                }
                case ASK_ABOUT_A_COMMIT_THAT_WAS_NOT_SENT -> {
                    int cuts = test.proxy.cuts();
                    assertThatThrownBy(() -> application
                                    .bean(Teller.class)
                                    .writeAnew("unknown", () -> test.proxy.cutNext("COMMIT", Point.BEFORE_IT_IS_SENT)))
                            .isInstanceOf(RuntimeException.class);
                    assertThat(test.proxy.cuts() - cuts).isEqualTo(1);
                }
            }
        }

        boolean isDone(ContractApplication application) {
            return switch (this) {
                case RELEASE -> application.request("stale").get("status").equals("failed_retryable");
                case COMPLETE -> application.request("stale").get("status").equals("succeeded");
                case FORGET -> application.requests() == 0;
                case PURGE -> application.requests() == 0;
                case RELAY ->
                    application
                            .database()
                            .jdbc()
                            .queryForList("select status from idempotency.outbox_event", String.class)
                            .equals(List.of("sent"));
                case RECORD_FINAL_FAILURE ->
                    application.request("failed").get("status").equals("failed_final");
                case RECORD_FAILED_ATTEMPT ->
                    application.request("failed").get("status").equals("failed_retryable");
                case RECORD_FAILED_DELIVERY -> application.messageFailures().size() == 1;
                case ASK_ABOUT_A_COMMIT_WITHOUT_ANSWER ->
                    application.request("unknown").get("status").equals("succeeded");
                case ASK_ABOUT_A_COMMIT_THAT_WAS_NOT_SENT -> application.requests() == 0;
                default -> true;
            };
        }

        private static void unchecked(Callable<?> work) {
            assertThatCode(work::call).doesNotThrowAnyException();
        }

        private static MessagingAdministration messages(ContractApplication application) {
            return application.bean(MessagingAdministration.class);
        }

        private static IdempotencyAdministration administration(ContractApplication application) {
            return application.bean(IdempotencyAdministration.class);
        }

        private static Intent intent(String scope, String key) {
            return new Intent(scope, "", new IdempotencyKey(key));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Teller {

        private final JdbcTemplate jdbc;

        private final AtomicInteger executions = new AtomicInteger();

        Teller(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        int executions() {
            return executions.get();
        }

        String transaction() {
            return jdbc.queryForObject("select pg_current_xact_id()::text", String.class);
        }

        void write(String what) {
            jdbc.update("insert into payment (id, account, cents) values (?, ?, 5)", UUID.randomUUID(), what);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(
                scope = "anew",
                key = "#key",
                fingerprint = "'same'",
                finalFailures = IllegalArgumentException.class,
                maxAttempts = 1)
        public String writeAnew(String key, Runnable work) {
            write("of the call");
            work.run();
            return "written";
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @IdempotentReceiver(consumer = "anew", messageId = "#id")
        public void receiveAnew(String id, Runnable work) {
            write("of the call");
            work.run();
        }

        @Transactional
        @Idempotent(scope = "forgettable", key = "#key")
        public String writeForgettable(String key) {
            write("of the call");
            return "written";
        }

        @Idempotent(scope = "stale", key = "#key", mode = IdempotencyMode.LEASED, lease = "1m")
        public String writeStale(String key) {
            return "written";
        }

        @Transactional
        @Idempotent(scope = "leased", key = "#key", fingerprint = "'same'", mode = IdempotencyMode.LEASED, lease = "1m")
        public String writeLeased(String key, Runnable work) {
            executions.incrementAndGet();
            write("before");
            String transaction = transaction();
            IdempotencyContext.current().extendLease(Duration.ofMinutes(5));
            assertThat(transaction()).as("transaction").isEqualTo(transaction);
            write("after");
            work.run();
            return "written";
        }
    }
}
