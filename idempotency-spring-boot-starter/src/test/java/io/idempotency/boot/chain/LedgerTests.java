package io.idempotency.boot.chain;

import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A database with a {@link Ledger}, and the applications that write to it. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LedgerTests {

    TestDatabase database;

    Ledger.Committed committed;

    @BeforeAll
    void createTable(TestDatabase ofTheClass) {
        database = ofTheClass;
        committed = Ledger.committedIn(database);
        Ledger.createTable(database);
    }

    ConfigurableApplicationContext start(Class<?>... beans) {
        return start(beans, new String[0]);
    }

    ConfigurableApplicationContext start(Class<?>[] beans, String... properties) {
        return JdbcTestApplication.start(
                database,
                Stream.concat(Stream.of(Ledger.class), Stream.of(beans)).toArray(Class<?>[]::new),
                properties);
    }

    /** Calls twice, and once had an effect: in the transaction of the claim. */
    void assertProtected(PaymentService service, String key) {
        Receipt first = service.pay(key);

        assertThat(service.pay(key)).isEqualTo(first);
        assertThat(committed.entries(key)).containsExactly(first.paymentId());
        committed.assertOneEffectInTheTransactionOfItsClaim(key);
    }

    static class Payments extends LedgerBean implements PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "payments", key = "#key", shared = true)
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class PaymentsWithoutTransaction extends LedgerBean implements PaymentService {

        @Override
        @Idempotent(scope = "payments-without-transaction", key = "#key", shared = true)
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }
}
