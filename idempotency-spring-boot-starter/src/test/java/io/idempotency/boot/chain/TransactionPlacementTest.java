package io.idempotency.boot.chain;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Wherever the two annotations stand, the claim is made in the transaction of the effect. */
class TransactionPlacementTest extends LedgerTests {

    private static final Class<?>[] BEANS = {
        Payments.class,
        TransactionalOnClass.class,
        TransactionalOnInterface.class,
        JakartaTransactional.class,
        IdempotentOnInterfaceMethod.class,
        IdempotentOnSuperclassMethod.class,
        ComposedIdempotent.class,
        ComposedOfBoth.class,
        RequiresNew.class,
        Supports.class,
        Mandatory.class,
        Nested.class,
        PaymentsWithoutTransaction.class
    };

    @AutoClose
    private ConfigurableApplicationContext application;

    private TransactionTemplate outerTransaction;

    @BeforeAll
    void startAll() {
        application = start(BEANS);
        outerTransaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Payments.class,
                TransactionalOnClass.class,
                TransactionalOnInterface.class,
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

        assertProtected(service, type.getSimpleName());
        assertThat(InterceptorChain.of(service)).containsExactly(InterceptorChain.IDEMPOTENT);
    }

    @ParameterizedTest
    @ValueSource(classes = {PaymentsWithoutTransaction.class, Supports.class})
    void opensATransactionWhereTheMethodGetsNone(Class<? extends PaymentService> type) {
        assertProtected(application.getBean(type), type.getSimpleName());
    }

    @ParameterizedTest
    @ValueSource(classes = {Payments.class, Supports.class, Mandatory.class, PaymentsWithoutTransaction.class})
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
            classes = {Payments.class, Supports.class, Mandatory.class, Nested.class, PaymentsWithoutTransaction.class})
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
    void claimsNothingWhereTheTransactionIsRefused() {
        PaymentService service = application.getBean(Mandatory.class);

        assertThatThrownBy(() -> service.pay("mandatory")).isInstanceOf(IllegalTransactionStateException.class);

        committed.assertNothing("mandatory");
    }

    @Transactional
    static class TransactionalOnClass extends LedgerBean implements PaymentService {

        @Override
        @Idempotent(scope = "on-class", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Transactional
    interface TransactionalPayments extends PaymentService {}

    static class TransactionalOnInterface extends LedgerBean implements TransactionalPayments {

        @Override
        @Idempotent(scope = "on-interface", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class JakartaTransactional extends LedgerBean implements PaymentService {

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

    static class IdempotentOnInterfaceMethod extends LedgerBean implements IdempotentPay {

        @Override
        @Transactional
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    abstract static class IdempotentBase extends LedgerBean implements PaymentService {

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

    static class ComposedIdempotent extends LedgerBean implements PaymentService {

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

    static class ComposedOfBoth extends LedgerBean implements PaymentService {

        @Override
        @Command(name = "composed-of-both")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class RequiresNew extends LedgerBean implements PaymentService {

        @Override
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "requires-new", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Supports extends LedgerBean implements PaymentService {

        @Override
        @Transactional(propagation = Propagation.SUPPORTS)
        @Idempotent(scope = "supports", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Mandatory extends LedgerBean implements PaymentService {

        @Override
        @Transactional(propagation = Propagation.MANDATORY)
        @Idempotent(scope = "mandatory", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class Nested extends LedgerBean implements PaymentService {

        @Override
        @Transactional(propagation = Propagation.NESTED)
        @Idempotent(scope = "nested", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }
}
