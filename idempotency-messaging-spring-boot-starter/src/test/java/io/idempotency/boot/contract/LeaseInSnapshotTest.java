package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Leases of methods whose transaction has a snapshot. */
@ContractTest
class LeaseInSnapshotTest {

    private final ContractApplications applications;

    private final ContractApplication holder;

    private final ContractApplication taker;

    LeaseInSnapshotTest(ContractApplications applications) {
        this.applications = applications;
        holder = applications.start(List.of(Snapshots.class));
        taker = applications.start(List.of(Snapshots.class));
    }

    @Test
    void extendingALeaseThatCouldNotBeCompletedThenIsRefused() {
        holder.interruption()
                .afterEffectDo(() -> assertThatIllegalStateException()
                        .isThrownBy(() -> IdempotencyContext.current().extendLease(Duration.ofMinutes(5)))
                        .withMessageContaining("REPEATABLE READ"));

        assertThat(holder.bean(Snapshots.class).pay("key")).isEqualTo(1);
    }

    @Test
    void soIsExtendingTheLeaseInAStepThatCouldNotBeRecordedThen() {
        ContractApplication repeatable = applications.start(
                List.of(Snapshots.class), "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
        repeatable
                .interruption()
                .afterEffectDo(() -> assertThatIllegalStateException()
                        .isThrownBy(() -> IdempotencyContext.current().extendLease(Duration.ofMinutes(5)))
                        .withMessageContaining("REPEATABLE READ"));

        assertThat(repeatable.bean(Snapshots.class).payInStep("key")).isEqualTo(1);
        assertThat(repeatable.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHolderWhoseLeaseWasTakenOverIsToldAndDoesNotCallOutsideAgain(boolean repeatably) {
        int before = holder.bean(Snapshots.class).executions();
        Gate gate = new Gate();
        holder.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls<Integer> slow = ConcurrentCalls.start(1, () -> pay(holder, repeatably));
        gate.awaitHeld();
        holder.expireLease("key");

        pay(taker, repeatably);
        gate.open();

        assertThat(slow.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.LEASE_LOST);
        assertThat(holder.bean(Snapshots.class).executions() - before).isEqualTo(1);
    }

    private static int pay(ContractApplication application, boolean repeatably) {
        Snapshots snapshots = application.bean(Snapshots.class);
        return repeatably ? snapshots.payRepeatably("key") : snapshots.pay("key");
    }

    static class Snapshots extends PayingBean {

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        @Idempotent(scope = "snapshot", key = "#key", mode = IdempotencyMode.LEASED)
        public int pay(String key) {
            return callOutsideAndBook();
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        @Idempotent(scope = "snapshot-repeatable", key = "#key", mode = IdempotencyMode.LEASED, retryLeased = true)
        public int payRepeatably(String key) {
            return callOutsideAndBook();
        }

        @Idempotent(scope = "snapshot-step", key = "#key", mode = IdempotencyMode.LEASED)
        public int payInStep(String key) {
            return IdempotencyContext.current().stepInTransaction("pay", Integer.class, this::callOutsideAndBook);
        }

        private int callOutsideAndBook() {
            makeEffect();
            interruption.afterEffect();
            return IdempotencyContext.current().attempt();
        }
    }
}
