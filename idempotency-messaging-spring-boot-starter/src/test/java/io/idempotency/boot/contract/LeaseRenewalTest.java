package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.lease.LeaseRenewal;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.CuttingProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A lease lasts for as long as its method runs in a process that works, and no longer. */
@ContractTest
@Tag("race")
@Timeout(120)
class LeaseRenewalTest {

    private static final String EIGHT_LEASES_HAVE_PASSED = "clock_timestamp() > claimed_at + 8 * interval '600 ms'";

    private static final String THREE_LEASES_HAVE_PASSED = "clock_timestamp() > claimed_at + 3 * interval '600 ms'";

    private static final String IS_RENEWED = "locked_until > claimed_at + 2 * interval '600 ms'";

    private final ContractApplications applications;

    private final ContractApplication holder;

    private final ContractApplication taker;

    private Gate gate = new Gate();

    private String key = "";

    LeaseRenewalTest(ContractApplications applications) {
        this.applications = applications;
        holder = start();
        taker = start();
        listenTo(holder);
    }

    private static void listenTo(ContractApplication application) {
        ((ConfigurableTransactionManager) application.bean(PlatformTransactionManager.class))
                .addListener(new Beginnings());
    }

    private ContractApplication start(String... properties) {
        return applications
                .with("idempotency.outbox.poll-interval=100ms")
                .with("idempotency.retry.delay=5ms")
                .start(List.of(Renewed.class), properties);
    }

    @BeforeEach
    void newKey() {
        gate = new Gate();
        key = "key-" + UUID.randomUUID();
    }

    @AfterEach
    void letGo() {
        Beginnings.after = () -> {};
        gate.open();
    }

    /** Neither by its client nor by an instance that would resume it. */
    @Test
    void aMethodThatTakesEightLeasesRunsOnce() {
        ConcurrentCalls<UUID> call = hold(() -> payments(holder).payResumably(key));
        await(EIGHT_LEASES_HAVE_PASSED);
        assertThatThrownBy(() -> payments(taker).payResumably(key)).isInstanceOf(RequestInProgressException.class);
        gate.open();

        UUID answer = call.await().requireAllSucceeded().get(0);

        assertThat(payments(taker).payResumably(key)).isEqualTo(answer);
        assertThat(holder.effects()).isEqualTo(1);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.EXECUTED);
        assertThat(holder.request(key)).containsEntry("attempt_count", 1);
    }

    @Test
    void theLeaseOfAMethodWithItsOwnTransactionIsRenewed() {
        ConcurrentCalls<UUID> call = hold(() -> payments(holder).payInTransaction(key));
        await(THREE_LEASES_HAVE_PASSED + " and locked_until > clock_timestamp()");
        gate.open();

        assertThat(call.await().requireAllSucceeded()).hasSize(1);
    }

    /** Its transaction has waited for a connection, for example, and another call has the key and makes the effect. */
    @Test
    void aMethodIsNotStartedWhoseLeaseIsLostBefore() {
        Beginnings.after = () -> {
            Beginnings.after = () -> {};
            await("locked_until < clock_timestamp()");
            ConcurrentCalls.run(1, () -> payments(taker).payInTransaction(key)).requireAllSucceeded();
        };
        int before = payments(holder).executions();

        assertThatThrownBy(() -> payments(holder).payInTransaction(key)).isInstanceOf(LeaseLostException.class);

        assertThat(payments(holder).executions()).isEqualTo(before);
        assertThat(holder.effects()).isEqualTo(1);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.LEASE_LOST);
    }

    /** When a pool is exhausted, each of many methods would wait for another one's connection. */
    @Test
    void aMethodThatBeginsLateNeedsNoSecondConnectionForThat() {
        ContractApplication exhausted = start(
                "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=250");
        listenTo(exhausted);
        Beginnings.after = () -> await("locked_until < clock_timestamp()");

        assertThat(payments(exhausted).payInTransaction(key)).isNotNull();
    }

    @Test
    void aStepIsNotRunWhoseLeaseIsKnownToBeLost() {
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call = hold(() -> payments(holder).payBeforeStep(key));
            holder.alterRequest(
                    key,
                    "attempt_count = 2, claim_token = gen_random_uuid(), locked_until = claimed_at + interval '1 hour'");
            Awaitility.await().until(() -> log.texts(), lines -> !lines.isEmpty());
            gate.open();

            assertThat(call.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
            assertThat(holder.effects()).isZero();
        }
    }

    /** Executors and other beans wait for their calls when they are destroyed, after all phases of the shutdown. */
    @Test
    void aLeaseIsRenewedWhileABeanThatIsDestroyedWaitsForItsCall() {
        Set<Thread> before = renewers();
        ContractApplication closing = applications.start(
                List.of(Renewed.class, Draining.class), "spring.lifecycle.timeout-per-shutdown-phase=50ms");
        closing.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls<UUID> call =
                ConcurrentCalls.start(1, () -> payments(closing).pay(key));
        gate.awaitHeld();
        closing.bean(Draining.class).atEnd = () -> {
            await("locked_until > claimed_at + 4 * interval '600 ms'");
            gate.open();
            call.await();
            Awaitility.await().until(() -> before.containsAll(renewers()));
            closing.interruption().afterEffectDo(() -> await("queued-" + key, IS_RENEWED));
            assertThat(payments(closing).pay("queued-" + key)).isNotNull();
        };

        closing.stop();

        assertThat(call.await().requireAllSucceeded()).hasSize(1);
        assertThat(holder.effects()).isEqualTo(2);
        Awaitility.await().until(() -> before.containsAll(renewers()));
    }

    /** Boot's executor waits for its calls when it is destroyed, which is after the pool if it was created before it. */
    @Test
    @Tag("full")
    void aShutdownWaitsForTheCallsOfAnExecutorBeforeItClosesThePool() throws Exception {
        ContractApplication closing = applications.start(
                List.of(TaskExecutionAutoConfiguration.class, CreatedEarly.class, Renewed.class),
                "spring.task.execution.pool.core-size=1",
                "spring.task.execution.shutdown.await-termination=true",
                "spring.task.execution.shutdown.await-termination-period=30s");
        closing.interruption().afterEffectDo(gate::holdTheFirst);
        Future<UUID> call = submit(closing, key);
        gate.awaitHeld();
        Future<UUID> queued = submit(closing, "queued-" + key);
        Future<?> end = CompletableFuture.runAsync(closing::stop);
        await("locked_until > claimed_at + 4 * interval '600 ms'");
        gate.open();

        end.get(60, TimeUnit.SECONDS);

        assertThat(call.get()).isEqualTo(payments(taker).pay(key));
        assertThat(queued.get()).isEqualTo(payments(taker).pay("queued-" + key));
        assertThat(holder.effects()).isEqualTo(2);
    }

    /** As a request that the web server does not wait for any more. */
    @Test
    @Tag("full")
    void aShutdownWaitsForALeasedCallOfAnyThread() throws Exception {
        ContractApplication closing = applications.start(List.of(Renewed.class));
        closing.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls<UUID> call =
                ConcurrentCalls.start(1, () -> payments(closing).payAndFail(key));
        gate.awaitHeld();
        Future<?> end = CompletableFuture.runAsync(closing::stop);
        await("locked_until > claimed_at + 4 * interval '600 ms'");
        gate.open();

        end.get(60, TimeUnit.SECONDS);

        assertThat(call.await().failures()).singleElement().hasToString("java.lang.IllegalStateException: declined");
        assertThat(holder.request(key)).containsEntry("status", "failed_retryable");
    }

    @Test
    void theLogNamesTheCallsThatAShutdownDoesNotWaitForAndTheClosedPool() {
        ContractApplication closing =
                applications.start(List.of(Renewed.class), "spring.lifecycle.timeout-per-shutdown-phase=50ms");
        closing.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls.start(1, () -> payments(closing).pay(key));
        gate.awaitHeld();
        try (LogLines log = LogLines.of("io.idempotency.boot.lease.LeaseRenewer")) {
            closing.stop();
            Awaitility.await().until(() -> log.texts().size() == 2);

            assertThat(log.texts())
                    .allSatisfy(line -> assertThat(line).startsWith("WARN").contains("key '" + key + "'"));
            assertThat(log.texts().get(0)).contains("leased calls still run", "timeout-per-shutdown-phase");
            assertThat(log.texts().get(1)).contains("HikariDataSource", "has been closed");
        }
    }

    @Test
    void aLeaseIsRenewedWhileTheApplicationStarts() {
        AtStart.key = key;
        AtStart.whileItRuns = () -> await(IS_RENEWED);

        applications.start(List.of(Renewed.class, AtStart.class));

        assertThat(payments(taker).pay(key)).isNotNull();
        assertThat(holder.effects()).isEqualTo(1);
    }

    private static Future<UUID> submit(ContractApplication application, String key) {
        Renewed payments = payments(application);
        return application.bean(ThreadPoolTaskExecutor.class).submit(() -> payments.pay(key));
    }

    private static Set<Thread> renewers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("idempotency-lease"))
                .collect(Collectors.toSet());
    }

    @Test
    void theLogNamesThePoolIfItHasNoConnectionForTheRenewal() {
        ContractApplication exhausted = start(
                "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=250");
        exhausted.interruption().afterEffectDo(gate::holdTheFirst);
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call =
                    ConcurrentCalls.start(1, () -> payments(exhausted).payInTransaction(key));
            gate.awaitHeld();
            Awaitility.await().until(() -> log.texts(), lines -> !lines.isEmpty());

            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR")
                    .contains("pool");
            gate.open();
            assertThat(call.await().requireAllSucceeded()).hasSize(1);
        }
    }

    @Test
    void aRowThatIsLockedKeepsNoOtherFromBeingRenewed() throws Exception {
        ConcurrentCalls<UUID> call = hold(() -> payments(holder).pay(key));
        Gate other = new Gate();
        holder.interruption().afterEffectDo(other::holdTheFirst);
        ConcurrentCalls<UUID> otherCall =
                ConcurrentCalls.start(1, () -> payments(holder).pay("other-" + key));
        other.awaitHeld();
        try (Connection lock = holder.database().connection();
                Statement statement = lock.createStatement()) {
            lock.setAutoCommit(false);
            statement.execute(
                    "select from idempotency.idempotency_request where idempotency_key = '" + key + "' for update");
            Object end = holder.request(key).get("locked_until");

            await(
                    "other-" + key,
                    "clock_timestamp() > claimed_at + 4 * interval '600 ms' and locked_until > clock_timestamp()");

            assertThat(holder.request(key)).containsEntry("locked_until", end);
            lock.rollback();
        }
        await("locked_until > clock_timestamp()");
        gate.open();
        other.open();
        call.await().requireAllSucceeded();
        otherCall.await().requireAllSucceeded();
    }

    @Test
    @Tag("full")
    void aConnectionThatFallsSilentDuringARenewalLosesNoLease() {
        CuttingProxy proxy = applications.proxy();
        ContractApplication silenced = start();
        silenced.interruption().afterEffectDo(gate::holdTheFirst);
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call =
                    ConcurrentCalls.start(1, () -> payments(silenced).payBeforeStep(key));
            gate.awaitHeld();
            proxy.cutNext("skip locked", CuttingProxy.Point.IN_SILENCE);

            await("clock_timestamp() > claimed_at + interval '3500 ms'");

            assertThat(proxy.cuts()).isEqualTo(1);
            assertThat(is(key, "locked_until > clock_timestamp()")).isTrue();
            assertThat(log.texts()).isEmpty();
            gate.open();
            assertThat(call.await().requireAllSucceeded()).hasSize(1);
        }
    }

    @Test
    void aLeaseThatIsLostIsNotRenewedByItsFormerHolder() {
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call = hold(() -> payments(holder).pay(key));
            holder.alterRequest(
                    key,
                    "attempt_count = 2, claim_token = gen_random_uuid(), locked_until = claimed_at + interval '1 hour'");
            Object end = holder.request(key).get("locked_until");
            Awaitility.await().until(() -> log.texts(), lines -> !lines.isEmpty());
            await(THREE_LEASES_HAVE_PASSED);

            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The lease of the key '" + key
                            + "' in scope 'renewed' was not renewed in time and is lost");
            assertThat(holder.request(key)).containsEntry("locked_until", end);
            gate.open();
            assertThat(call.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        }
    }

    @Test
    void aLeaseIsRenewedForTheLongestTimeAndThenFreesTheKey() {
        ContractApplication bounded = start("idempotency.lease=600ms", "idempotency.max-lease=1500ms");
        bounded.interruption().afterEffectDo(gate::holdTheFirst);
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call =
                    ConcurrentCalls.start(1, () -> payments(bounded).pay(key));
            gate.awaitHeld();
            Awaitility.await().until(() -> log.texts(), lines -> !lines.isEmpty());

            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR")
                    .contains(
                            "key '" + key + "' in scope 'renewed'",
                            "its method still runs in this process",
                            "idempotency.max-lease = 1s500ms",
                            "raise the property");
            assertThat(payments(taker).pay(key)).isNotNull();
            gate.open();
            assertThat(call.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
            assertThat(log.texts()).filteredOn(line -> line.startsWith("ERROR")).hasSize(1);
        }
    }

    /** Its completion would fail, whether the renewal comes before its first statement or after it. */
    @Test
    void theLeaseOfATransactionWithASnapshotIsNotRenewedAndItsCallCompletes() {
        // Its snapshot is taken before the library knows that there is one.
        Beginnings.after = () -> {
            holder.bean(JdbcTemplate.class).execute("select 1");
            await("clock_timestamp() > claimed_at + interval '500 ms'");
        };
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            ConcurrentCalls<UUID> call = hold(() -> payments(holder).payInSnapshot(key));
            await(THREE_LEASES_HAVE_PASSED);

            assertThat(is(key, "locked_until = claimed_at + interval '600 ms'")).isTrue();
            gate.open();
            assertThat(call.await().requireAllSucceeded()).hasSize(1);
            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR")
                    .contains("REPEATABLE READ or SERIALIZABLE");
        }
    }

    @Test
    void aLeaseIsNotRenewedDuringAStepWithASnapshotAndIsAfterwards() {
        ContractApplication repeatable =
                start("spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
        Gate afterStep = new Gate();
        repeatable.interruption().beforeEffectDo(gate::holdTheFirst);
        repeatable.interruption().afterEffectDo(afterStep::holdTheFirst);
        ConcurrentCalls<UUID> call =
                ConcurrentCalls.start(1, () -> payments(repeatable).payInStep(key));
        try (LogLines log = LogLines.of(LeaseRenewal.class.getName())) {
            gate.awaitHeld();
            Awaitility.await().until(() -> log.texts(), lines -> !lines.isEmpty());
            assertThat(log.texts()).singleElement().asString().contains("REPEATABLE READ or SERIALIZABLE");
        }
        await("clock_timestamp() > claimed_at + 3 * interval '600 ms'");
        assertThat(is(key, IS_RENEWED)).isFalse();
        gate.open();
        afterStep.awaitHeld();

        await("locked_until > clock_timestamp() + interval '200 ms'");

        afterStep.open();
        assertThat(call.await().requireAllSucceeded()).hasSize(1);
    }

    @Test
    void aLeaseIsRenewedDuringAStepWithoutASnapshot() {
        holder.interruption().beforeEffectDo(gate::holdTheFirst);
        ConcurrentCalls<UUID> call =
                ConcurrentCalls.start(1, () -> payments(holder).payInStep(key));
        gate.awaitHeld();

        await(THREE_LEASES_HAVE_PASSED + " and locked_until > clock_timestamp()");

        gate.open();
        assertThat(call.await().requireAllSucceeded()).hasSize(1);
    }

    /** The key is free when the lease expires that was renewed last. */
    @Test
    void aCallThatHasLeftIsNotRenewedAnyMore() {
        holder.interruption().afterEffectDo(() -> {
            await(IS_RENEWED);
            throw new IllegalStateException("left");
        });
        assertThatThrownBy(() -> payments(holder).pay(key)).hasMessage("left");
        holder.alterRequest(key, "status = 'processing', locked_until = clock_timestamp() + interval '300 ms'");

        await(THREE_LEASES_HAVE_PASSED + " and locked_until < clock_timestamp()");

        assertThat(payments(taker).pay(key)).isNotNull();
    }

    private ConcurrentCalls<UUID> hold(Callable<UUID> call) {
        holder.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls<UUID> started = ConcurrentCalls.start(1, call);
        gate.awaitHeld();
        return started;
    }

    private void await(String condition) {
        await(key, condition);
    }

    private void await(String key, String condition) {
        Awaitility.await(condition).atMost(30, TimeUnit.SECONDS).until(() -> is(key, condition));
    }

    private boolean is(String key, String condition) {
        return holder.jdbc()
                .queryForObject(
                        "select " + condition + " from idempotency.idempotency_request where idempotency_key = ?",
                        Boolean.class,
                        key);
    }

    private static Renewed payments(ContractApplication application) {
        return application.bean(Renewed.class);
    }

    /** Of the application's transactions. */
    private static final class Beginnings implements TransactionExecutionListener {

        static volatile Runnable after = () -> {};

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            after.run();
        }
    }

    /** Makes a call before anything is started. */
    static class AtStart implements SmartInitializingSingleton {

        static volatile String key = "";

        static volatile Runnable whileItRuns = () -> {};

        private final Renewed payments;

        private final Interruption interruption;

        AtStart(Renewed payments, Interruption interruption) {
            this.payments = payments;
            this.interruption = interruption;
        }

        @Override
        public void afterSingletonsInstantiated() {
            interruption.afterEffectDo(whileItRuns);
            payments.pay(key);
        }
    }

    /** Its executor is created before the pool. */
    static class CreatedEarly {

        CreatedEarly(ThreadPoolTaskExecutor executor) {}
    }

    static class Draining implements DisposableBean {

        volatile Runnable atEnd = () -> {};

        /** The beans of its calls are destroyed after it. */
        Draining(Renewed payments) {}

        @Override
        public void destroy() {
            atEnd.run();
        }
    }

    static class Renewed extends PayingBean {

        @Idempotent(scope = "renewed", key = "#key", mode = IdempotencyMode.LEASED, lease = "600ms", waitTimeout = "1s")
        UUID pay(String key) {
            return callOutside();
        }

        @Idempotent(
                scope = "renewed-resumable",
                key = "#key",
                mode = IdempotencyMode.LEASED,
                lease = "600ms",
                waitTimeout = "1s",
                resume = true)
        UUID payResumably(String key) {
            return callOutside();
        }

        @Idempotent(scope = "renewed-and-failed", key = "#key", mode = IdempotencyMode.LEASED, lease = "600ms")
        UUID payAndFail(String key) {
            callOutside();
            throw new IllegalStateException("declined");
        }

        @Transactional
        @Idempotent(scope = "renewed-in-transaction", key = "#key", mode = IdempotencyMode.LEASED, lease = "600ms")
        UUID payInTransaction(String key) {
            return callOutside();
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        @Idempotent(scope = "renewed-in-snapshot", key = "#key", mode = IdempotencyMode.LEASED, lease = "600ms")
        UUID payInSnapshot(String key) {
            return callOutside();
        }

        @Idempotent(scope = "renewed-in-step", key = "#key", mode = IdempotencyMode.LEASED, lease = "600ms")
        UUID payInStep(String key) {
            UUID payment = IdempotencyContext.current().stepInTransaction("pay", UUID.class, () -> {
                UUID id = insert();
                interruption.beforeEffect();
                return id;
            });
            interruption.afterEffect();
            return payment;
        }

        @Idempotent(scope = "renewed-before-step", key = "#key", mode = IdempotencyMode.LEASED, lease = "3s")
        UUID payBeforeStep(String key) {
            interruption.afterEffect();
            return IdempotencyContext.current().step("pay", UUID.class, this::insert);
        }

        private UUID callOutside() {
            countExecution();
            interruption.beforeEffect();
            UUID payment = insert();
            interruption.afterEffect();
            return payment;
        }

        private UUID insert() {
            return jdbc.queryForObject(
                    "insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5) returning id",
                    UUID.class);
        }
    }
}
