package io.idempotency.boot.chain;

import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportResource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.ProxyTransactionManagementConfiguration;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.interceptor.TransactionProxyFactoryBean;

import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** However an application configures {@code @Transactional}, the claim is in the transaction that it declares. */
class TransactionConfigurationsTest extends LedgerTests {

    @ParameterizedTest
    @ValueSource(classes = {ByXml.class, ByConfigurer.class})
    void theClaimIsInTheDeclaredTransaction(Class<?> configuration) {
        try (ConfigurableApplicationContext application = start(
                new Class<?>[] {Payments.class, configuration}, "spring.main.allow-bean-definition-overriding=true")) {
            PaymentService payments = application.getBean(PaymentService.class);

            assertProtected(payments, configuration.getSimpleName());
            assertThat(InterceptorChain.of(payments)).containsExactly(InterceptorChain.IDEMPOTENT);
        }
    }

    @Test
    void aTransactionOfAnotherProxyIsJoined() {
        try (ConfigurableApplicationContext application = start(PaymentsWithoutTransaction.class)) {
            TransactionProxyFactoryBean factory = new TransactionProxyFactoryBean();
            factory.setTransactionManager(application.getBean(PlatformTransactionManager.class));
            factory.setTarget(application.getBean(PaymentService.class));
            Properties attributes = new Properties();
            attributes.setProperty("*", "PROPAGATION_REQUIRED");
            factory.setTransactionAttributes(attributes);
            factory.afterPropertiesSet();

            assertProtected((PaymentService) factory.getObject(), "by-factory");
        }
    }

    /** While the advisor is created, its methods seem to declare no transaction. */
    @Test
    void aCallBeforeTheAdvisorIsReadyDoesNotDecideForLaterOnes() {
        try (ConfigurableApplicationContext application = start(InExistingTransaction.class, EarlyCall.class)) {
            PaymentService payments = application.getBean(PaymentService.class);

            assertThat(committed.entries("early")).hasSize(1);
            assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> payments.pay("late"));
        }
    }

    static class InExistingTransaction extends LedgerBean implements PaymentService {

        @Override
        @Transactional(propagation = Propagation.MANDATORY)
        @Idempotent(scope = "payments-in-existing-transaction", key = "#key", shared = true)
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyCall extends ProxyTransactionManagementConfiguration {

        private final ObjectProvider<PaymentService> payments;

        EarlyCall(ObjectProvider<PaymentService> payments) {
            this.payments = payments;
        }

        @Override
        @Bean
        public TransactionInterceptor transactionInterceptor(TransactionAttributeSource attributes) {
            payments.getObject().pay("early");
            return super.transactionInterceptor(attributes);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportResource("classpath:chain/annotation-driven.xml")
    static class ByXml {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class ByConfigurer implements TransactionManagementConfigurer {

        private final PlatformTransactionManager manager;

        ByConfigurer(PlatformTransactionManager manager) {
            this.manager = manager;
        }

        @Override
        public TransactionManager annotationDrivenTransactionManager() {
            return manager;
        }
    }
}
