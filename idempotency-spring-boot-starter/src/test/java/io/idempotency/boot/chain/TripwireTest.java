package io.idempotency.boot.chain;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.Advised;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.BrokenInterceptorChainException;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** What start-up cannot see is found by the call itself, which fails rather than run without protection. */
class TripwireTest extends LedgerTests {

    static Stream<Arguments> waysRoundTheClaim() {
        return Stream.of(
                argumentSet(
                        "answer",
                        Answering.class,
                        "key 'Answering' in scope 'payments' returned without its claim having been reached"),
                argumentSet(
                        "claim on another thread",
                        ThreadHopping.class,
                        Payments.class.getName() + ".pay(String) was reached on a thread that did not come through"),
                argumentSet("refusal of that swallowed", SwallowingThreadHopping.class, ""));
    }

    @ParameterizedTest
    @MethodSource("waysRoundTheClaim")
    void refusesACallThatAnInterceptorBehindTheTransactionKeepsFromItsClaim(Class<?> aspect, String problem) {
        try (ConfigurableApplicationContext application = start(PaymentsInTransactions.class, aspect)) {
            PaymentService payments = application.getBean(PaymentService.class);
            String key = aspect.getSimpleName();

            assertThatThrownBy(() -> payments.pay(key))
                    .isInstanceOf(BrokenInterceptorChainException.class)
                    .hasMessageContaining(problem);

            committed.assertNothing(key);
        }
    }

    @Test
    void refusesAClaimWhoseBoundaryWasRemovedWhileRunning() {
        try (ConfigurableApplicationContext application = start(PaymentsInTransactions.class)) {
            PaymentService payments = application.getBean(PaymentService.class);
            payments.pay("before");

            removeBoundary((Advised) payments);

            assertThatThrownBy(() -> payments.pay("after")).isInstanceOf(BrokenInterceptorChainException.class);
            committed.assertNothing("after");
        }
    }

    @Test
    void refusesTheCallWhoseClaimWasRemovedWhileRunning() {
        try (ConfigurableApplicationContext application = start(PaymentsInTransactions.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            ((Advised) payments).removeAdvisor(((Advised) payments).getAdvisorCount() - 1);

            assertThatThrownBy(() -> payments.pay("unclaimed")).isInstanceOf(BrokenInterceptorChainException.class);
            assertThat(committed.claims("unclaimed")).isZero();
        }
    }

    @Test
    void replaysToAnInterceptorBehindTheTransactionThatProceedsTwice() {
        try (ConfigurableApplicationContext application = start(PaymentsInTransactions.class, ProceedingTwice.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            Receipt receipt = payments.pay("twice");

            assertThat(committed.entries("twice")).containsExactly(receipt.paymentId());
            committed.assertOneEffectInTheTransactionOfItsClaim("twice");
        }
    }

    @Test
    void refusesToRunALeasedOrOptimisticMethodTwiceInOneAttempt() {
        try (ConfigurableApplicationContext application =
                start(PaymentsInTransactions.class, ProceedingTwice.class, LeasedPayments.class)) {
            LeasedPayments payments = application.getBean(LeasedPayments.class);

            assertThatThrownBy(() -> payments.payWithoutTransaction("leased"))
                    .isInstanceOf(BrokenInterceptorChainException.class)
                    .hasMessageContaining("key 'leased' in scope 'leased'")
                    .hasMessageContaining("was about to run its method a second time in one attempt")
                    .hasMessageContaining("outside of the transaction");
            assertThat(committed.entries("leased")).hasSize(1);

            assertThatThrownBy(() -> payments.payInTransaction("transactional"))
                    .isInstanceOf(BrokenInterceptorChainException.class);
            assertThat(committed.entries("transactional")).isEmpty();
            assertThatThrownBy(() -> payments.payOptimistically("optimistic"))
                    .isInstanceOf(BrokenInterceptorChainException.class);
            assertThat(committed.entries("optimistic")).isEmpty();
            assertThat(payments.executions()).containsExactly("leased", "transactional", "optimistic");
        }
    }

    @Test
    void refusesToRunAFailedMethodAgainInOneAttempt() {
        try (ConfigurableApplicationContext application =
                start(PaymentsInTransactions.class, TryingAgain.class, LeasedPayments.class)) {
            LeasedPayments payments = application.getBean(LeasedPayments.class);

            for (ThrowingCall call : new ThrowingCall[] {
                payments::failWithLease,
                payments::failWithLeaseInTransaction,
                payments::fail,
                payments::failInTransaction
            }) {
                payments.executions().clear();

                assertThatThrownBy(call::run)
                        .isInstanceOf(BrokenInterceptorChainException.class)
                        .hasMessageContaining("proceeds twice, perhaps to try it again")
                        .satisfies(refused -> assertThat(refused.getSuppressed())
                                .anySatisfy(first -> assertThat(first).hasMessage("the first time")));

                assertThat(payments.executions()).hasSize(1);
            }
            // That of the leased method without a transaction.
            assertThat(committed.entries("failing")).hasSize(1);
        }
    }

    private static void removeBoundary(Advised proxy) {
        for (int i = 0; i < proxy.getAdvisorCount(); i++) {
            String advice = proxy.getAdvisors()[i].getAdvice().getClass().getSimpleName();
            if (advice.equals(InterceptorChain.BOUNDARY)) {
                proxy.removeAdvisor(i);
                return;
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    @Import(Payments.class)
    static class PaymentsInTransactions {}

    @Aspect
    static class Answering {

        @Around("@annotation(io.idempotency.Idempotent) && args(key)")
        Object answer(String key) {
            return new Receipt(UUID.randomUUID(), key);
        }
    }

    @Aspect
    static class ThreadHopping {

        @Around("@annotation(io.idempotency.Idempotent)")
        Object hop(ProceedingJoinPoint call) throws Throwable {
            try {
                return CompletableFuture.supplyAsync(() -> proceed(call)).join();
            } catch (CompletionException failure) {
                throw failure.getCause();
            }
        }

        static Object proceed(ProceedingJoinPoint call) {
            try {
                return call.proceed();
            } catch (Throwable failure) {
                throw new CompletionException(failure);
            }
        }
    }

    @Aspect
    static class SwallowingThreadHopping {

        @Around("@annotation(io.idempotency.Idempotent)")
        Object hop(ProceedingJoinPoint call) {
            return CompletableFuture.supplyAsync(() -> ThreadHopping.proceed(call))
                    .exceptionally(failure -> new Receipt(UUID.randomUUID(), "swallowed"))
                    .join();
        }
    }

    private interface ThrowingCall {

        void run();
    }

    /** One of its methods is transactional, so that aspects come between the boundary and the claims of all. */
    static class LeasedPayments extends LedgerBean {

        private final List<String> executions = new CopyOnWriteArrayList<>();

        @Idempotent(scope = "leased", key = "#key", mode = IdempotencyMode.LEASED)
        public Receipt payWithoutTransaction(String key) {
            return enter(key);
        }

        @Transactional
        @Idempotent(scope = "leased-in-transaction", key = "#key", mode = IdempotencyMode.LEASED)
        public Receipt payInTransaction(String key) {
            return enter(key);
        }

        @Transactional
        @Idempotent(scope = "optimistic", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public Receipt payOptimistically(String key) {
            return enter(key);
        }

        @Idempotent(scope = "failing-leased", key = "'failing'", mode = IdempotencyMode.LEASED)
        public void failWithLease() {
            failOnce();
        }

        @Transactional
        @Idempotent(scope = "failing-leased-transaction", key = "'failing'", mode = IdempotencyMode.LEASED)
        public void failWithLeaseInTransaction() {
            failOnce();
        }

        @Idempotent(scope = "failing", key = "'failing'")
        public void fail() {
            failOnce();
        }

        @Transactional
        @Idempotent(scope = "failing-transaction", key = "'failing'")
        public void failInTransaction() {
            failOnce();
        }

        List<String> executions() {
            return executions;
        }

        private void failOnce() {
            enter("failing");
            if (executions.size() == 1) {
                throw new IllegalStateException("the first time");
            }
        }

        private Receipt enter(String key) {
            executions.add(key);
            return ledger.enter(key);
        }
    }

    @Aspect
    static class TryingAgain {

        @Around("@annotation(io.idempotency.Idempotent)")
        Object again(ProceedingJoinPoint call) throws Throwable {
            try {
                return call.proceed();
            } catch (IllegalStateException failure) {
                return call.proceed();
            }
        }
    }

    @Aspect
    static class ProceedingTwice {

        @Around("@annotation(io.idempotency.Idempotent)")
        Object twice(ProceedingJoinPoint call) throws Throwable {
            Object first = call.proceed();
            assertThat(call.proceed()).isEqualTo(first);
            return first;
        }
    }
}
