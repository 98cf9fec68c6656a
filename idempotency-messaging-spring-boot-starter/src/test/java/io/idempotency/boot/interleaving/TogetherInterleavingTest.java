package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.interleaving.Ledger.Attempt;
import io.idempotency.boot.interleaving.Ledger.Part;
import io.idempotency.boot.interleaving.Ledger.Place;
import io.idempotency.boot.interleaving.Ledger.Trouble;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** Whatever a transaction does with the library is there as a whole and once, or not at all. */
@Tag("race")
class TogetherInterleavingTest {

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void transactionsAreThereAsAWholeAndTheirCallsOnce(Kind kind) throws SQLException {
        explore(kind, TestSize.pick(80, 1_500));
    }

    @Test
    void aFewTransactionsAreThereAsAWholeAndTheirCallsOnce() throws SQLException {
        explore(Kind.JDBC, 40);
    }

    /** The call fails and is swallowed after the manager has looked whether the transaction is marked rollback-only. */
    @Test
    void aFailedCallThatCannotBeUndoneIsNotCommitted() throws SQLException {
        explore(Kind.JDBC, applications -> {
            Together scenario = new Together(applications, Set.of(), 1) {
                @Override
                List<Attempt> attempts(String key) {
                    return List.of(new Attempt(
                            key, List.of(Part.CALL), Trouble.UNDONE_FAILURE_OF_A_CALL, Place.BEFORE_COMPLETION));
                }
            };
            new Explorer("together-undone", applications.server(), scenario).exploreAll(EnumSet.of(Fault.EXCEPTION), 1);
        });
    }

    private static void explore(Kind kind, int count) throws SQLException {
        explore(
                kind,
                applications -> new Explorer(
                                "together-" + kind, applications.server(), new Together(applications, kind.troubles, 1))
                        .walk(1, count, 2));
    }

    private static void explore(Kind kind, Consumer<Applications> explorations) throws SQLException {
        try (TestDatabase database = TestDatabase.create();
                Applications applications = new Applications(
                        database,
                        kind.configuration,
                        "idempotency.outbox.relay=false",
                        "idempotency.wait-timeout=10s")) {
            Ledger.createTable(database.jdbc());
            applications.warmUp(Ledger.class, Ledger::makeEverything);
            explorations.accept(applications);
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // Set is the type of an EnumSet, which nothing changes.
    private enum Kind {
        JDBC(WithLedger.class, EnumSet.allOf(Trouble.class)),
        JPA(WithJpa.class, EnumSet.complementOf(EnumSet.of(Trouble.UNDONE_FAILURE_OF_A_CALL)));

        private final Class<?> configuration;

        private final Set<Trouble> troubles;

        Kind(Class<?> configuration, Set<Trouble> troubles) {
            this.configuration = configuration;
            this.troubles = troubles;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    @Import(Ledger.class)
    static class WithLedger {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    @Import(WithLedger.class)
    static class WithJpa {}
}
