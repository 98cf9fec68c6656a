package io.idempotency.boot.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whatever else intercepts the method: the boundary stays next to the transaction, and the claim comes last. */
class OtherInterceptorsTest extends LedgerTests {

    @AfterEach
    void forgetCaller() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TransactionsByDefault.class,
                TransactionsFirst.class,
                TransactionsInTheMiddle.class,
                TransactionsLast.class
            })
    void staysInOrderWithEveryOrderOfTransactionsAndAspects(Class<?> transactionManagement) {
        try (ConfigurableApplicationContext application = start(
                transactionManagement, Payments.class, FirstAspect.class, DefaultAspect.class, LastAspect.class)) {
            Payments payments = application.getBean(Payments.class);

            assertProtected(payments, transactionManagement.getSimpleName());
            assertThat(InterceptorChain.of(payments))
                    .hasSize(4)
                    .containsOnlyOnce(InterceptorChain.IDEMPOTENT)
                    .doesNotContain("TransactionInterceptor");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {ValidatedPayments.class, ValidatedPaymentsWithoutTransaction.class})
    void claimsNothingWhereAnArgumentIsNotValid(Class<? extends ValidatedService> type) {
        try (ConfigurableApplicationContext application = start(Validation.class, type)) {
            ValidatedService payments = application.getBean(type);

            assertThatThrownBy(() -> payments.pay("too-long-for-a-key"))
                    .isInstanceOf(ConstraintViolationException.class);
            committed.assertNothing("too-long-for-a-key");

            assertProtected(payments::pay, "ok" + type.getSimpleName().length());
        }
    }

    @Test
    void claimsOnTheThreadOfAnAsynchronousMethod() throws InterruptedException {
        try (ConfigurableApplicationContext application =
                start(AsynchronousMethods.class, AsynchronousPayments.class, Outcomes.class)) {
            AsynchronousPayments payments = application.getBean(AsynchronousPayments.class);
            Outcomes outcomes = application.getBean(Outcomes.class);

            payments.pay("asynchronous");
            assertThat(outcomes.next()).isEqualTo(Outcome.EXECUTED);
            payments.pay("asynchronous");
            assertThat(outcomes.next()).isEqualTo(Outcome.REPLAYED);

            committed.assertOneEffectInTheTransactionOfItsClaim("asynchronous");
            assertThat(payments.threads()).hasSize(1).doesNotContain(Thread.currentThread());
        }
    }

    @Test
    void runsARetryInATransactionOfItsOwn() {
        try (ConfigurableApplicationContext application = start(ResilientMethods.class, RetriedPayments.class)) {
            RetriedPayments payments = application.getBean(RetriedPayments.class);

            assertProtected(payments, "retried");
            assertThat(payments.transactions()).hasSize(2).doesNotHaveDuplicates();
            assertThat(InterceptorChain.of(payments))
                    .containsExactly("RetryAnnotationInterceptor", InterceptorChain.IDEMPOTENT);
        }
    }

    @Test
    void staysInOrderWithAllOfThemTogether() {
        try (ConfigurableApplicationContext application = start(
                MethodSecurity.class,
                Validation.class,
                ResilientMethods.class,
                DefaultAspect.class,
                PaymentsWithEverything.class)) {
            PaymentsWithEverything payments = application.getBean(PaymentsWithEverything.class);

            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("somebody", "password", "ROLE_PAYER"));
            assertProtected(payments::pay, "all");
            assertThat(InterceptorChain.of(payments))
                    .containsOnlyOnce(InterceptorChain.IDEMPOTENT)
                    .doesNotContain("TransactionInterceptor")
                    .startsWith("RetryAnnotationInterceptor");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class TransactionsByDefault {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
    static class TransactionsFirst {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class TransactionsInTheMiddle {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE)
    static class TransactionsLast {}

    @Aspect
    abstract static class PassingAspect {

        @Around("@annotation(io.idempotency.Idempotent)")
        Object pass(ProceedingJoinPoint call) throws Throwable {
            return call.proceed();
        }
    }

    @Aspect
    @Order(Ordered.HIGHEST_PRECEDENCE + 1)
    static class FirstAspect extends PassingAspect {}

    @Aspect
    static class DefaultAspect extends PassingAspect {}

    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE)
    static class LastAspect extends PassingAspect {}

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class MethodSecurity {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ValidationAutoConfiguration.class)
    static class Validation {}

    interface ValidatedService {

        @NotNull Receipt pay(@Size(max = 10) String key);
    }

    @Validated
    static class ValidatedPayments extends LedgerBean implements ValidatedService {

        @Override
        @Transactional
        @Idempotent(scope = "validated", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Validated
    static class ValidatedPaymentsWithoutTransaction extends LedgerBean implements ValidatedService {

        @Override
        @Idempotent(scope = "validated-without-transaction", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsynchronousMethods {}

    static class AsynchronousPayments extends LedgerBean {

        private final List<Thread> threads = new ArrayList<>();

        @Async
        @Transactional
        @Idempotent(scope = "asynchronous", key = "#key")
        public void pay(String key) {
            threads.add(Thread.currentThread());
            ledger.enter(key);
        }

        List<Thread> threads() {
            return threads;
        }
    }

    static class Outcomes implements IdempotencyListener {

        private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();

        @Override
        public void callCompleted(CallCompleted event) {
            outcomes.add(event.outcome());
        }

        Outcome next() throws InterruptedException {
            return outcomes.poll(10, TimeUnit.SECONDS);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class ResilientMethods {}

    static class RetriedPayments extends LedgerBean implements PaymentService {

        private final List<String> transactions = new ArrayList<>();

        private final JdbcTemplate jdbc;

        RetriedPayments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        @Retryable(delay = 1)
        @Transactional
        @Idempotent(scope = "retried", key = "#key")
        public Receipt pay(String key) {
            Receipt receipt = ledger.enter(key);
            transactions.add(jdbc.queryForObject("select pg_current_xact_id()::text", String.class));
            if (transactions.size() == 1) {
                throw new IllegalStateException("the first attempt fails behind its effect");
            }
            return receipt;
        }

        List<String> transactions() {
            return transactions;
        }
    }

    @Validated
    static class PaymentsWithEverything extends LedgerBean implements ValidatedService {

        @Override
        @PreAuthorize("hasRole('PAYER')")
        @Retryable
        @Transactional
        @Idempotent(scope = "everything", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }
}
