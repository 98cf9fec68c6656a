package io.idempotency.boot.chain;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Wherever the two annotations stand, the claim is made in the transaction of the effect. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionPlacementTest {

    private static final Class<?>[] BEANS = {
        Ledger.class,
        TransactionalOnMethod.class,
        TransactionalOnClass.class,
        TransactionalOnInterface.class,
        TransactionalOnInterfaceMethod.class,
        TransactionalOnSuperclass.class,
        JakartaTransactional.class,
        IdempotentOnInterfaceMethod.class,
        IdempotentOnSuperclassMethod.class,
        ComposedIdempotent.class,
        ComposedOfBoth.class,
        RequiresNew.class,
        Supports.class,
        Mandatory.class,
        Nested.class,
        NotTransactional.class
    };

    private final TestDatabase database;

    private final Ledger.Committed committed;

    @AutoClose
    private ConfigurableApplicationContext application;

    private TransactionTemplate outerTransaction;

    TransactionPlacementTest(TestDatabase database) {
        this.database = database;
        this.committed = Ledger.committedIn(database);
    }

    @BeforeAll
    void start() {
        Ledger.createTable(database);
        application = JdbcTestApplication.start(database, BEANS);
        outerTransaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TransactionalOnMethod.class,
                TransactionalOnClass.class,
                TransactionalOnInterface.class,
                TransactionalOnInterfaceMethod.class,
                TransactionalOnSuperclass.class,
                JakartaTransactional.class,
                IdempotentOnInterfaceMethod.class,
                IdempotentOnSuperclassMethod.class,
                ComposedIdempotent.class,
                ComposedOfBoth.class,
                RequiresNew.class,
                Nested.class
            })
    void claimsInTheDeclaredTransactionAndReplays(Class<? extends PaymentService> type) {
        PaymentService service = application.getBean(type);
        String key = type.getSimpleName();

        Receipt first = service.pay(key);
        Receipt second = service.pay(key);

        assertThat(second).isEqualTo(first);
        assertThat(committed.entries(key)).containsExactly(first.paymentId());
        committed.assertOneEffectInTheTransactionOfItsClaim(key);
        assertThat(InterceptorChain.of(service))
                .containsExactly(InterceptorChain.BOUNDARY, InterceptorChain.TRANSACTION, InterceptorChain.CLAIM);
    }

    @ParameterizedTest
    @ValueSource(classes = {NotTransactional.class, Supports.class})
    void opensATransactionWhereTheMethodGetsNone(Class<? extends PaymentService> type) {
        PaymentService service = application.getBean(type);
        String key = type.getSimpleName();

        Receipt first = service.pay(key);

        assertThat(service.pay(key)).isEqualTo(first);
        committed.assertOneEffectInTheTransactionOfItsClaim(key);
    }

    @Test
    void hasNothingButBoundaryAndClaimWhereTheMethodDeclaresNoTransaction() {
        assertThat(InterceptorChain.of(application.getBean(NotTransactional.class)))
                .containsExactly(InterceptorChain.BOUNDARY, InterceptorChain.CLAIM);
    }

    @ParameterizedTest
    @ValueSource(classes = {TransactionalOnMethod.class, Supports.class, Mandatory.class, NotTransactional.class})
    void joinsAnOuterTransactionAndCommitsWithIt(Class<? extends PaymentService> type) {
        PaymentService service = application.getBean(type);
        String key = "joins-" + type.getSimpleName();

        Receipt first = outerTransaction.execute(status -> {
            Receipt receipt = service.pay(key);
            committed.assertNothing(key);
            assertThat(service.pay(key)).isEqualTo(receipt);
            return receipt;
        });

        assertThat(outerTransaction.<Receipt>execute(status -> service.pay(key)))
                .isEqualTo(first);
        committed.assertOneEffectInTheTransactionOfItsClaim(key);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TransactionalOnMethod.class,
                Supports.class,
                Mandatory.class,
                Nested.class,
                NotTransactional.class
            })
    void leavesNothingWhenTheOuterTransactionRollsBack(Class<? extends PaymentService> type) {
        PaymentService service = application.getBean(type);
        String key = "rolled-back-" + type.getSimpleName();

        outerTransaction.executeWithoutResult(status -> {
            service.pay(key);
            status.setRollbackOnly();
        });

        committed.assertNothing(key);
    }

    @Test
    void commitsByItselfWithRequiresNewThoughTheOuterTransactionRollsBack() {
        PaymentService service = application.getBean(RequiresNew.class);

        Receipt first = outerTransaction.execute(status -> {
            status.setRollbackOnly();
            return service.pay("requires-new");
        });

        committed.assertOneEffectInTheTransactionOfItsClaim("requires-new");
        assertThat(service.pay("requires-new")).isEqualTo(first);
    }

    @Test
    void takesTheClaimBackWithTheSavepointOfANestedTransaction() {
        Nested service = application.getBean(Nested.class);

        Receipt retried = outerTransaction.execute(status -> {
            assertThatThrownBy(() -> service.payAndFail("nested")).isInstanceOf(IllegalStateException.class);
            return service.pay("nested");
        });

        assertThat(committed.entries("nested")).containsExactly(retried.paymentId());
        assertThat(committed.claims("nested")).isOne();
    }

    @Test
    void claimsNothingWhereTheTransactionIsRefused() {
        PaymentService service = application.getBean(Mandatory.class);

        assertThatThrownBy(() -> service.pay("mandatory")).isInstanceOf(IllegalTransactionStateException.class);

        committed.assertNothing("mandatory");
    }

    @Test
    void leavesMethodsOfTheSameBeanAloneThatAreNotAnnotated() {
        TransactionalOnMethod service = application.getBean(TransactionalOnMethod.class);

        List<Receipt> receipts = List.of(service.payAgain("not-annotated"), service.payAgain("not-annotated"));

        assertThat(committed.entries("not-annotated"))
                .containsExactlyInAnyOrderElementsOf(
                        receipts.stream().map(Receipt::paymentId).toList());
        assertThat(committed.claims("not-annotated")).isZero();
    }

    abstract static class Base extends LedgerBean implements PaymentService {}

    static class TransactionalOnMethod extends Base {

        @Override
        @Transactional
        @Idempotent(scope = "on-method", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }

        @Transactional
        public Receipt payAgain(String key) {
            return ledger.enter(key);
        }
    }

    @Transactional
    static class TransactionalOnClass extends Base {

        @Override
        @Idempotent(scope = "on-class", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Transactional
    interface TransactionalPayments extends PaymentService {}

    static class TransactionalOnInterface extends Base implements TransactionalPayments {

        @Override
        @Idempotent(scope = "on-interface", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    interface TransactionalPay extends PaymentService {

        @Override
        @Transactional
        Receipt pay(String key);
    }

    static class TransactionalOnInterfaceMethod extends Base implements TransactionalPay {

        @Override
        @Idempotent(scope = "on-interface-method", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Transactional
    abstract static class TransactionalBase extends Base {}

    static class TransactionalOnSuperclass extends TransactionalBase {

        @Override
        @Idempotent(scope = "on-superclass", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class JakartaTransactional extends Base {

        @Override
        @jakarta.transaction.Transactional
        @Idempotent(scope = "jakarta", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    interface IdempotentPay extends PaymentService {

        @Override
        @Idempotent(scope = "idempotent-interface-method", key = "#key")
        Receipt pay(String key);
    }

    static class IdempotentOnInterfaceMethod extends Base implements IdempotentPay {

        @Override
        @Transactional
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    abstract static class IdempotentBase extends Base {

        @Override
        @Idempotent(scope = "idempotent-superclass-method", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class IdempotentOnSuperclassMethod extends IdempotentBase {

        @Override
        @Transactional
        public Receipt pay(String key) {
            return super.pay(key);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Idempotent(scope = "", key = "#key", fingerprint = "#key", retention = "1h")
    @interface IdempotentByKey {

        @AliasFor(annotation = Idempotent.class)
        String scope();
    }

    static class ComposedIdempotent extends Base {

        @Override
        @Transactional
        @IdempotentByKey(scope = "composed")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Transactional
    @Idempotent(scope = "", key = "")
    @interface Command {

        @AliasFor(annotation = Idempotent.class, attribute = "scope")
        String name();

        @AliasFor(annotation = Idempotent.class, attribute = "key")
        String id() default "#key";
    }

    static class ComposedOfBoth extends Base {

        @Override
        @Command(name = "composed-of-both")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class RequiresNew extends Base {

        @Override
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "requires-new", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Supports extends Base {

        @Override
        @Transactional(propagation = Propagation.SUPPORTS)
        @Idempotent(scope = "supports", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Mandatory extends Base {

        @Override
        @Transactional(propagation = Propagation.MANDATORY)
        @Idempotent(scope = "mandatory", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Nested extends Base {

        @Override
        @Transactional(propagation = Propagation.NESTED)
        @Idempotent(scope = "nested", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }

        @Transactional(propagation = Propagation.NESTED)
        @Idempotent(scope = "nested-failing", key = "#key")
        public Receipt payAndFail(String key) {
            ledger.enter(key);
            throw new IllegalStateException("after the effect");
        }
    }

    static class NotTransactional extends Base {

        @Override
        @Idempotent(scope = "not-transactional", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }
}
