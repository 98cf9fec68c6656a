package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** A caller in a transaction of its own, beside a plain one of the same key. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OuterTransactionInterleavingTest {

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        CrossedShop.createTable(database.jdbc());
        applications = new Applications(
                database,
                WithOuterTransactions.class,
                "spring.datasource.hikari.connection-init-sql=set deadlock_timeout = '1ms'");
        outersAndModes().forEach(arguments -> {
            Mode mode = (Mode) arguments.get()[1];
            applications.warmUp(mode.caller());
            applications.warmUp(((Outer) arguments.get()[0]).caller(mode));
        });
        applications.warmUp(caller(OuterTransactions::twoKeys));
        applications.warmUp(CrossedShop.class, CrossedShop::takeRowAndBuy);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    static Stream<Arguments> outersAndModes() {
        return Stream.of(Outer.values())
                .flatMap(outer -> Stream.of(Mode.TRANSACTIONAL, Mode.OPTIMISTIC, Mode.WRITE, Mode.INDEPENDENT)
                        .map(mode -> Arguments.of(outer, mode)));
    }

    @ParameterizedTest
    @EnumSource
    void besideAPlainTransactionalCaller(Outer outer) {
        besideAPlainCaller(outer, Mode.TRANSACTIONAL);
    }

    @ParameterizedTest
    @MethodSource("outersAndModes")
    @Tag("full")
    void besideAPlainCaller(Outer outer, Mode mode) {
        explorer(outer, mode, 1).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @ParameterizedTest
    @EnumSource
    void besideAPlainCallerWithOneFaultInAFewSchedules(Outer outer) {
        explorer(outer, Mode.TRANSACTIONAL, 1).walk(1, 10, 1);
    }

    @ParameterizedTest
    @MethodSource("outersAndModes")
    @Tag("full")
    void besideAPlainCallerWithOneFault(Outer outer, Mode mode) {
        explorer(outer, mode, 1).walk(1, TestSize.pick(60, 300), Bounds.of(faultsWith(mode), 1));
    }

    @ParameterizedTest
    @MethodSource("outersAndModes")
    @Tag("full")
    void besideTwoPlainCallersWithTwoFaults(Outer outer, Mode mode) {
        explorer(outer, mode, 2).walk(1, TestSize.pick(25, 300), Bounds.of(faultsWith(mode), 2));
    }

    /**
     * The library has no part in the transaction around an independent call. If its rollback fails by an exception, Spring's clean-up
     * commits it.
     */
    private static Set<Fault> faultsWith(Mode mode) {
        return mode == Mode.INDEPENDENT
                ? EnumSet.complementOf(EnumSet.of(Fault.EXCEPTION, Fault.ERROR))
                : EnumSet.allOf(Fault.class);
    }

    /** The clean-up sends COMMIT after a statement that has failed, and nothing is committed. */
    @Test
    void aWriteThatFailsAndWhoseRollbackFails() {
        explorer(Outer.COMMITTED, Mode.WRITE, 1).replay("b a!SERIALIZATION a!ERROR");
    }

    /** At random, because luck decides whom PostgreSQL chooses as the victim of a deadlock. */
    @Test
    void twoKeysInOppositeOrder() {
        twoKeys().walk(1, 20, 0);
    }

    @Test
    @Tag("full")
    void twoKeysInOppositeOrderWithTwoFaults() {
        twoKeys().walk(1, TestSize.pick(100, 600), 2);
    }

    /** Both are in one application. If the first one waited there for the other, nobody would see that they wait for each other. */
    @Test
    void aRowAndAKeyInOppositeOrder() {
        Caller<CrossedShop> plain = inFirstApplication(CrossedShop::buy);
        new Explorer(
                        "row-and-key",
                        applications.server(),
                        new Duplicates(
                                applications, List.of(inFirstApplication(CrossedShop::takeRowAndBuy), plain), plain))
                .walk(1, 20, 0);
    }

    private Caller<CrossedShop> inFirstApplication(BiFunction<CrossedShop, String, Object> calls) {
        return new Caller<>(
                CrossedShop.class,
                (any, key) -> calls.apply(applications.beans(CrossedShop.class).get(0), key),
                Failures::ofDeadlocks);
    }

    private Explorer explorer(Outer outer, Mode mode, int others) {
        List<Caller<?>> callers = Stream.<Caller<?>>concat(
                        Stream.of(outer.caller(mode)),
                        Stream.generate(mode::caller).limit(others))
                .toList();
        return new Explorer(
                outer + "-" + mode + "-of-" + callers.size(),
                applications.server(),
                new Duplicates(applications, callers, mode.caller()));
    }

    private Explorer twoKeys() {
        Caller<?> inOrder = caller(OuterTransactions::twoKeys);
        return new Explorer(
                "two-keys",
                applications.server(),
                new Duplicates(
                        applications, List.of(inOrder, caller(OuterTransactions::twoKeysInOppositeOrder)), inOrder));
    }

    private static Caller<OuterTransactions> caller(BiFunction<OuterTransactions, String, Object> calls) {
        return new Caller<>(OuterTransactions.class, calls, Failures::ofDeadlocks);
    }

    @SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
    enum Outer {
        COMMITTED(OuterTransactions::committed),
        ROLLED_BACK(OuterTransactions::rolledBack),
        UNDONE(OuterTransactions::undone),
        UNDONE_AND_REPEATED(OuterTransactions::undoneAndRepeated);

        private final transient Calls calls;

        Outer(Calls calls) {
            this.calls = calls;
        }

        Caller<OuterTransactions> caller(Mode mode) {
            return new Caller<>(
                    OuterTransactions.class, (outer, key) -> calls.call(outer, mode, key), Failures::afterFaults);
        }
    }

    @FunctionalInterface
    private interface Calls {

        Object call(OuterTransactions outer, Mode mode, String key);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({OuterTransactions.class, CrossedShop.class})
    static class WithOuterTransactions {}
}
