package io.idempotency.boot.contract;

import java.net.InetAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.Outcome;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.LeasedPayments.Completion;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call whose claim is committed before its method runs, as long as nobody else wants its key. */
@Tag("citus")
@ContractTest
class LeaseTest {

    private static final Duration LESS_THAN_THE_WAIT_TIMEOUT = Duration.ofSeconds(15);

    private final ContractApplication application;

    private final LeasedPayments payments;

    LeaseTest(ContractApplications applications) {
        application = applications.start(
                List.of(LeasedPayments.class), "spring.application.name=billing", "idempotency.retry.delay=5ms");
        payments = application.bean(LeasedPayments.class);
    }

    @ParameterizedTest
    @EnumSource
    void theClaimIsCommittedWhileTheMethodRuns(Completion completion) throws Exception {
        AtomicReference<Map<String, Object>> seen = new AtomicReference<>(Map.of());
        application.interruption().beforeEffectDo(() -> seen.set(application.request("key")));

        Booked booked = completion.pay(payments, "key");

        assertThat(seen.get())
                .containsEntry("status", "processing")
                .containsEntry("attempt_count", 1)
                .containsEntry("response_body", null);
        assertThat(seen.get().get("claim_token")).isNotNull();
        assertThat(seen.get().get("locked_until")).isNotNull();
        assertThat((String) seen.get().get("claimed_by"))
                .startsWith("billing ")
                .contains(ProcessHandle.current().pid() + "@")
                .contains(InetAddress.getLocalHost().getHostName());
        assertThat(application.request("key"))
                .containsEntry("status", "succeeded")
                .containsEntry("locked_until", null);
        assertThat(booked.attempt()).isEqualTo(1);
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void noTransactionIsOpenedRoundAMethodThatDeclaresNone(Completion completion) {
        AtomicReference<Boolean> active = new AtomicReference<>();
        application
                .interruption()
                .beforeEffectDo(() -> active.set(TransactionSynchronizationManager.isActualTransactionActive()));

        completion.pay(payments, "key");

        assertThat(active.get()).isEqualTo(completion == Completion.IN_THE_TRANSACTION);
        assertThat(application.request("key")).containsEntry("status", "succeeded");
    }

    /** As a thread does that watches over slow methods. */
    @NotOnCitus
    @Test
    void anotherThreadExtendsALeaseWhileAStatementOfTheMethodRuns() throws SQLException {
        AtomicReference<IdempotencyContext> context = new AtomicReference<>();
        application.interruption().beforeEffectDo(() -> {
            context.set(IdempotencyContext.current());
            application.bean(JdbcTemplate.class).execute("select pg_advisory_xact_lock(1)");
        });
        ConcurrentCalls<Booked> paying;
        try (Connection blocker = application.database().connection();
                Statement lock = blocker.createStatement()) {
            lock.execute("select pg_advisory_lock(1)");
            paying = ConcurrentCalls.start(1, () -> payments.pay("key"));
            application.database().backends().awaitBlocked(1);

            ConcurrentCalls.start(1, () -> context.get().extendLease(Duration.ofHours(2)))
                    .await(LESS_THAN_THE_WAIT_TIMEOUT)
                    .requireAllSucceeded();
        }
        assertThat(paying.await().requireAllSucceeded()).hasSize(1);
    }

    @NotOnCitus
    @Test
    void effectAndCompletionAreOneTransaction() {
        payments.pay("key");

        assertThat(application
                        .jdbc()
                        .queryForObject(
                                "select p.xid = r.xmin::text from payment p, idempotency.idempotency_request r",
                                Boolean.class))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsRecordedWhateverTheSwitchSaysAndTheNextCallIsAnotherAttempt(Completion completion) {
        application.interruption().afterEffectDo(() -> {
            throw new IllegalStateException("no answer");
        });
        assertThatThrownBy(() -> completion.pay(payments, "key")).hasMessage("no answer");
        assertThat(application.request("key"))
                .containsEntry("status", "failed_retryable")
                .containsEntry("failure_message", "no answer")
                .containsEntry("locked_until", null);
        assertThat(application.effects()).isEqualTo(completion == Completion.IN_THE_TRANSACTION ? 0 : 1);
        application.interruption().reset();

        assertThat(completion.pay(payments, "key").attempt()).isEqualTo(2);

        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
    }

    @ParameterizedTest
    @EnumSource
    void aCallInsideOfATransactionIsRefusedBeforeAnythingIsClaimed(Completion completion) {
        TransactionTemplate outer = application.transaction();

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> completion.pay(payments, "key")))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("outside of transactions");

        assertThat(application.requests()).isZero();
        assertThat(application.effects()).isZero();
    }

    /** A transactional event listener runs there. */
    @Test
    void aCallAfterTheCommitOfATransactionIsRefusedAsLongAsThatIsBound() {
        TransactionTemplate outer = application.transaction();

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> Callbacks.afterCommit(() -> payments.pay("key"))))
                .isInstanceOf(TransactionMismatchException.class);

        assertThat(application.requests()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "P365000D", "PT9223372036854775807S"})
    void anExtensionThatEndsNowOrThatNobodyWillSeeIsRefused(String duration) {
        application
                .interruption()
                .beforeEffectDo(() -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> IdempotencyContext.current().extendLease(Duration.parse(duration))));
        payments.pay("key");
    }

    @Test
    void anExtensionDoesNotShortenALongerLease() {
        application.interruption().beforeEffectDo(() -> {
            Object end = application.request("key").get("locked_until");
            IdempotencyContext.current().extendLease(Duration.ofMillis(1));
            assertThat(application.request("key")).containsEntry("locked_until", end);
        });
        payments.pay("key");
    }

    @Test
    void anExtensionKeepsTheResponseForAsMuchLonger() {
        application.interruption().beforeEffectDo(() -> {
            int before = retentionInDays();
            IdempotencyContext.current().extendLease(Duration.ofDays(10));
            assertThat(retentionInDays()).isGreaterThanOrEqualTo(before + 9);
        });
        payments.pay("key");
    }

    private int retentionInDays() {
        return application
                .jdbc()
                .queryForObject(
                        "select extract(days from expires_at - claimed_at)::int from idempotency.idempotency_request",
                        Integer.class);
    }

    @Test
    void aMethodThatCallsItselfWithItsOwnKeyIsRefusedAtOnce() {
        application.interruption().beforeEffectDo(() -> payments.payWithoutTransaction("key"));
        ConcurrentCalls<Booked> calling = ConcurrentCalls.start(1, () -> payments.payWithoutTransaction("key"));

        assertThat(calling.await(LESS_THAN_THE_WAIT_TIMEOUT).failures())
                .singleElement()
                .satisfies(refused -> assertThat(refused)
                        .isInstanceOf(ReentrantCallException.class)
                        .hasMessageContaining("a lease"));

        assertThat(application.request("key")).containsEntry("status", "failed_retryable");
        assertThat(application.effects()).isZero();
    }
}
