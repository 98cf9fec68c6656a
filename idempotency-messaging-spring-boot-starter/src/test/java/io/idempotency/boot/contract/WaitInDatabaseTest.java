package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls whose keys an open transaction of another instance holds: each blocks a thread and a connection. */
@ContractTest
class WaitInDatabaseTest {

    private static final int CALLS = 24;

    private static final int MAY_WAIT = 6;

    private final ContractApplication holder;

    private final ContractApplication waiter;

    private final ContractApplication optimistic;

    WaitInDatabaseTest(ContractApplications applications) {
        holder = applications.start(List.of());
        String[] properties = {
            "idempotency.max-waiting-in-all=" + MAY_WAIT, "spring.datasource.hikari.maximum-pool-size=" + (CALLS + 2)
        };
        waiter = applications.start(List.of(Transfers.class, LeasedPayments.class), properties);
        optimistic = applications.start(List.of(Transfers.class, OptimisticMode.class), properties);
    }

    @ParameterizedTest
    @EnumSource
    void waitUpToTheirNumberAndTheOthersAreRefusedSoon(Kind kind) throws InterruptedException {
        refuseAllButThoseThatMayWait(kind, index -> "key-" + index);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void waitUpToTheirNumberForOneKeyToo(Kind kind) throws InterruptedException {
        refuseAllButThoseThatMayWait(kind, index -> "key");
    }

    private void refuseAllButThoseThatMayWait(Kind kind, IntFunction<String> keys) throws InterruptedException {
        ContractApplication application = kind == Kind.OPTIMISTIC ? optimistic : waiter;
        application.outcomes().clear();
        String prefix = kind + "-";
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ConcurrentCalls<Void> holding = ConcurrentCalls.start(
                1,
                () -> holder.transaction().executeWithoutResult(status -> {
                    for (int i = 0; i < CALLS; i++) {
                        write(holder, kind.scope, prefix + keys.apply(i));
                    }
                    held.countDown();
                    Latches.await(mayEnd);
                    status.setRollbackOnly();
                }));
        held.await();

        ConcurrentCalls<String> calls =
                ConcurrentCalls.start(CALLS, index -> kind.call.apply(application, prefix + keys.apply(index)));
        try {
            Awaitility.await().until(() -> application.outcomes().all().size() == CALLS - MAY_WAIT);
            assertThat(application.outcomes().all()).containsOnly(Outcome.IN_PROGRESS);
        } finally {
            mayEnd.countDown();
        }

        CallResults<String> results = calls.await();
        assertThat(results.failures())
                .hasSize(CALLS - MAY_WAIT)
                .allSatisfy(refused -> assertThat(refused)
                        .isInstanceOf(RequestInProgressException.class)
                        .hasMessageContaining("idempotency.max-waiting-in-all = " + MAY_WAIT));
        assertThat(results.values()).hasSize(MAY_WAIT);
        holding.await().requireAllSucceeded();
    }

    private static String write(ContractApplication application, String scope, String key) {
        return application
                .bean(IdempotencyOperations.class)
                .write(scope, key, "same")
                .statement("update account set cents = cents where name = :none", Map.of("none", "nobody"))
                .respond(String.class, key);
    }

    @SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
    enum Kind {
        TRANSACTIONAL("transfers", Kind::transfer),
        OPTIMISTIC("transfers", Kind::transfer),
        JOINED(
                "transfers",
                (application, key) -> application.transaction().execute(status -> transfer(application, key))),
        LEASED(
                "leased-without-transaction",
                (application, key) -> application
                        .bean(LeasedPayments.class)
                        .payWithoutTransaction(key)
                        .toString()),
        WRITE("writes", (application, key) -> write(application, "writes", key));

        private final String scope;

        private final BiFunction<ContractApplication, String, String> call;

        Kind(String scope, BiFunction<ContractApplication, String, String> call) {
            this.scope = scope;
            this.call = call;
        }

        private static String transfer(ContractApplication application, String key) {
            return application.bean(Transfers.class).transfer(key);
        }
    }
}
