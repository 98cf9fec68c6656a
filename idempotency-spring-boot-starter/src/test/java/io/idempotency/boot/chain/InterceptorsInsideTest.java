package io.idempotency.boot.chain;

import java.util.UUID;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.NameMatchTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the proxy has between the claim and the method is part of the effect, unless it would take the effect out of its transaction. */
class InterceptorsInsideTest extends LedgerTests {

    @Test
    void anAspectRunsWithTheMethodAndNotOnAReplay() {
        try (ConfigurableApplicationContext application = start(FailingPayments.class, Recording.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            Receipt first = payments.pay("aspect");

            assertThat(first.key()).isEqualTo("changed by the aspect");
            assertThat(payments.pay("aspect")).isEqualTo(first);
            assertThat(committed.entries("recorded aspect")).hasSize(1);
            committed.assertOneEffectInTheTransactionOfItsClaim("aspect");
        }
    }

    @Test
    void whatAnAspectHasWrittenIsRolledBackWithTheMethod() {
        try (ConfigurableApplicationContext application = start(FailingPayments.class, Recording.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            assertThatThrownBy(() -> payments.pay("fails")).hasMessage("the method fails");

            committed.assertNothing("fails");
            assertThat(committed.entries("recorded fails")).isEmpty();
        }
    }

    @Test
    void aTransactionOfAnAdvisorOutsideIsJoined() {
        try (ConfigurableApplicationContext application = start(Payments.class, AdvisedOutside.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            Receipt first = payments.pay("advised");

            assertThat(payments.pay("advised")).isEqualTo(first);
            committed.assertOneEffectInTheTransactionOfItsClaim("advised");
            assertThat(InterceptorChain.of(payments))
                    .containsExactly("TransactionInterceptor", InterceptorChain.IDEMPOTENT);
        }
    }

    @Test
    void aTransactionOfAnAdvisorInsideIsRefused() {
        StartupFailure.of(database, new Class<?>[] {Ledger.class, Payments.class, AdvisedInside.class})
                .says(Payments.class.getName() + ".pay(String)", "not declared with @Transactional")
                .advises("a lower order than the advisor of @EnableTransactionManagement");
    }

    @Test
    void anotherThreadInsideIsRefused() {
        StartupFailure.of(database, new Class<?>[] {Ledger.class, Payments.class, AsynchronousInside.class})
                .says(Payments.class.getName() + ".pay(String)", "asynchronous inside of its transaction")
                .advises("order");
    }

    @Test
    void transactionsThatWereAdvisedTooEarlyAreRefused() {
        StartupFailure.of(database, new Class<?>[] {Ledger.class, Payments.class, NeedsTransactionsEarly.class})
                .says("which opens the transactions of @Transactional methods, was created too early")
                .advises("Make the dependency of the post-processor lazy");
    }

    static class FailingPayments extends LedgerBean implements PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "failing-payments", key = "#key")
        public Receipt pay(String key) {
            Receipt receipt = ledger.enter(key);
            if (key.equals("fails")) {
                throw new IllegalStateException("the method fails");
            }
            return receipt;
        }
    }

    @Aspect
    @EnableTransactionManagement(order = 0)
    static class Recording {

        private final Ledger ledger;

        Recording(Ledger ledger) {
            this.ledger = ledger;
        }

        @Around("@annotation(io.idempotency.Idempotent) && args(key)")
        Object record(ProceedingJoinPoint call, String key) throws Throwable {
            ledger.enter("recorded " + key);
            UUID id = ((Receipt) call.proceed()).paymentId();
            return new Receipt(id, "changed by the aspect");
        }
    }

    private static DefaultPointcutAdvisor advisor(org.aopalliance.aop.Advice advice, int order) {
        NameMatchMethodPointcut pay = new NameMatchMethodPointcut();
        pay.setMappedName("pay");
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pay, advice);
        advisor.setOrder(order);
        return advisor;
    }

    private static DefaultPointcutAdvisor transactions(TransactionManager manager, int order) {
        NameMatchTransactionAttributeSource names = new NameMatchTransactionAttributeSource();
        names.addTransactionalMethod("pay", new DefaultTransactionAttribute());
        return advisor(new TransactionInterceptor(manager, names), order);
    }

    @Configuration(proxyBeanMethods = false)
    static class AdvisedOutside {

        @Bean
        static DefaultPointcutAdvisor transactionAdvice(TransactionManager manager) {
            return transactions(manager, Ordered.HIGHEST_PRECEDENCE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class AdvisedInside {

        @Bean
        static DefaultPointcutAdvisor transactionAdvice(TransactionManager manager) {
            return transactions(manager, Ordered.LOWEST_PRECEDENCE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class NeedsTransactionsEarly {

        @Bean
        static BeanFactoryPostProcessor needing() {
            return beanFactory -> beanFactory.getBean(BeanFactoryTransactionAttributeSourceAdvisor.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class AsynchronousInside {

        @Bean
        static DefaultPointcutAdvisor asynchronousAdvice() {
            return advisor(new AsyncExecutionInterceptor(new SimpleAsyncTaskExecutor()), Ordered.LOWEST_PRECEDENCE);
        }
    }
}
