package io.idempotency.boot.chain;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What a post-processor of listeners keeps of a bean, and calls when a message arrives, is protected, whenever it looks
 * at the bean.
 */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListenerPlacementTest {

    private final TestDatabase database;

    private final Ledger.Committed committed;

    ListenerPlacementTest(TestDatabase database) {
        this.database = database;
        this.committed = Ledger.committedIn(database);
    }

    @BeforeAll
    void createTable() {
        Ledger.createTable(database);
    }

    static List<Arguments> listenersAndBeans() {
        return List.of(
                arguments(AtTheOrderOfTheLibrary.class, TransactionalHandler.class),
                arguments(BehindTheOrderOfTheLibrary.class, TransactionalHandler.class),
                arguments(BehindTheOrderOfTheLibrary.class, Handler.class),
                arguments(Last.class, TransactionalHandler.class),
                arguments(Last.class, Handler.class),
                arguments(WithoutOrder.class, TransactionalHandler.class),
                arguments(WithoutOrder.class, Handler.class),
                arguments(OfMergedDefinitions.class, TransactionalHandler.class),
                arguments(OfMergedDefinitions.class, Handler.class),
                arguments(FirstOfMergedDefinitions.class, TransactionalHandler.class),
                arguments(FirstOfMergedDefinitions.class, Handler.class));
    }

    @ParameterizedTest
    @MethodSource("listenersAndBeans")
    void callsThroughWhatAListenerCapturedAreIdempotent(
            Class<? extends CapturingPostProcessor> listener, Class<? extends PaymentService> bean) {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {listener, Ledger.class, bean})) {
            PaymentService captured = application.getBean(listener).captured();
            String key = listener.getSimpleName() + "-" + bean.getSimpleName();

            Receipt first = captured.pay(key);

            assertThat(captured.pay(key)).isEqualTo(first);
            committed.assertOneEffectInTheTransactionOfItsClaim(key);
            assertThat(captured).isSameAs(application.getBean(bean));
        }
    }

    static class Handler extends LedgerBean implements PaymentService {

        @Override
        @Idempotent(scope = "handled", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    static class TransactionalHandler extends LedgerBean implements PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "handled-in-transaction", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    /** As those of listener annotations do, it keeps the beans that it has to call. */
    abstract static class CapturingPostProcessor implements BeanPostProcessor {

        private final List<PaymentService> captured = new ArrayList<>();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof PaymentService service) {
                captured.add(service);
            }
            return bean;
        }

        PaymentService captured() {
            assertThat(captured).hasSize(1);
            return captured.get(0);
        }
    }

    static class AtTheOrderOfTheLibrary extends CapturingPostProcessor implements Ordered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE + 100;
        }
    }

    static class BehindTheOrderOfTheLibrary extends CapturingPostProcessor implements Ordered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE + 101;
        }
    }

    static class Last extends CapturingPostProcessor implements Ordered {

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }

    static class WithoutOrder extends CapturingPostProcessor {}

    static class OfMergedDefinitions extends CapturingPostProcessor implements MergedBeanDefinitionPostProcessor {

        @Override
        public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {}
    }

    static class FirstOfMergedDefinitions extends OfMergedDefinitions implements PriorityOrdered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }
}
