package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BiFunction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** A caller in a transaction of its own, beside a plain one of the same key. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OuterTransactionInterleavingTest {

    private static final Caller<OuterTransactions> PLAIN =
            new Caller<>(OuterTransactions.class, OuterTransactions::plain, Failures::ofTransactions);

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(
                database,
                OuterTransactions.class,
                "spring.datasource.hikari.connection-init-sql=set deadlock_timeout = '1ms'");
        applications.warmUp(PLAIN);
        for (Outer outer : Outer.values()) {
            applications.warmUp(outer.caller);
        }
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @ParameterizedTest
    @EnumSource
    void besideAPlainCaller(Outer outer) {
        explorer(outer, PLAIN).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void besideAPlainCallerWithOneFault(Outer outer) {
        explorer(outer, PLAIN).exploreAll(EnumSet.allOf(Fault.class), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void besideTwoPlainCallersAtRandomWithTwoFaults(Outer outer) {
        explorer(outer, PLAIN, PLAIN).walk(1, TestSize.pick(100, 50_000), 2);
    }

    /** At random, because it depends on luck whom PostgreSQL chooses as the victim of a deadlock. */
    @Test
    void twoKeysInOppositeOrder() {
        twoKeys().walk(1, 60, 0);
    }

    @Test
    @Tag("full")
    void twoKeysInOppositeOrderWithTwoFaults() {
        twoKeys().walk(1, TestSize.pick(500, 50_000), 2);
    }

    private Explorer explorer(Outer outer, Caller<?>... others) {
        List<Caller<?>> callers = new ArrayList<>(List.of(outer.caller));
        callers.addAll(List.of(others));
        return new Explorer(
                outer + "-of-" + callers.size(), applications.server(), new Duplicates(applications, callers, PLAIN));
    }

    private Explorer twoKeys() {
        Caller<?> inOrder = new Caller<>(OuterTransactions.class, OuterTransactions::twoKeys, Failures::ofDeadlocks);
        Caller<?> opposite =
                new Caller<>(OuterTransactions.class, OuterTransactions::twoKeysInOppositeOrder, Failures::ofDeadlocks);
        return new Explorer(
                "two-keys", applications.server(), new Duplicates(applications, List.of(inOrder, opposite), inOrder));
    }

    enum Outer {
        COMMITTED(OuterTransactions::committed),
        ROLLED_BACK(OuterTransactions::rolledBack),
        UNDONE(OuterTransactions::undone),
        UNDONE_AND_REPEATED(OuterTransactions::undoneAndRepeated),
        NEW_IN_COMMITTED(OuterTransactions::inNewTransactionOfCommitted),
        NEW_IN_ROLLED_BACK(OuterTransactions::inNewTransactionOfRolledBack);

        private final transient Caller<OuterTransactions> caller;

        Outer(BiFunction<OuterTransactions, String, Object> calls) {
            this.caller = new Caller<>(OuterTransactions.class, calls, Failures::afterFaults);
        }
    }
}
