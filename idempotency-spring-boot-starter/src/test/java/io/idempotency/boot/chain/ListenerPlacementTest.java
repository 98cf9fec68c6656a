package io.idempotency.boot.chain;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What a post-processor of listeners keeps of a bean, and calls when a message arrives, is protected, whenever it looks
 * at the bean.
 */
class ListenerPlacementTest extends LedgerTests {

    static List<Arguments> listenersAndBeans() {
        return List.of(
                arguments(AtTheOrderOfTheLibrary.class, Payments.class),
                arguments(BehindTheOrderOfTheLibrary.class, Payments.class),
                arguments(BehindTheOrderOfTheLibrary.class, PaymentsWithoutTransaction.class),
                arguments(Last.class, Payments.class),
                arguments(Last.class, PaymentsWithoutTransaction.class),
                arguments(WithoutOrder.class, Payments.class),
                arguments(WithoutOrder.class, PaymentsWithoutTransaction.class),
                arguments(OfMergedDefinitions.class, Payments.class),
                arguments(OfMergedDefinitions.class, PaymentsWithoutTransaction.class),
                arguments(FirstOfMergedDefinitions.class, Payments.class),
                arguments(FirstOfMergedDefinitions.class, PaymentsWithoutTransaction.class));
    }

    @ParameterizedTest
    @MethodSource("listenersAndBeans")
    void callsThroughWhatAListenerCapturedAreIdempotent(
            Class<? extends CapturingPostProcessor> listener, Class<? extends PaymentService> bean) {
        try (ConfigurableApplicationContext application = start(listener, bean)) {
            PaymentService captured = application.getBean(listener).captured();

            assertProtected(captured, listener.getSimpleName() + "-" + bean.getSimpleName());
            assertThat(captured).isSameAs(application.getBean(bean));
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
