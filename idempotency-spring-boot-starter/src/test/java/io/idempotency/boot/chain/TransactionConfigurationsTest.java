package io.idempotency.boot.chain;

import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportResource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.interceptor.TransactionProxyFactoryBean;

import static org.assertj.core.api.Assertions.assertThat;

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
