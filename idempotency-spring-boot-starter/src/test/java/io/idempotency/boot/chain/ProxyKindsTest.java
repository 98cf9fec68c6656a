package io.idempotency.boot.chain;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;

/** However a bean comes to be, and whatever kind of proxy it has, its idempotent methods are protected. */
class ProxyKindsTest extends LedgerTests {

    /** It is created before some post-processors, and after the one that makes proxies. */
    @ParameterizedTest
    @ValueSource(classes = {NeedingPostProcessor.class, NeedingMergedDefinitionPostProcessor.class})
    void aBeanThatALatePostProcessorNeedsIsProtected(Class<?> postProcessor) {
        try (ConfigurableApplicationContext application = start(Payments.class, postProcessor)) {
            assertProtected(application.getBean(PaymentService.class), postProcessor.getSimpleName());
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class ClassBasedProxies {

        @AutoClose
        private ConfigurableApplicationContext application;

        @BeforeAll
        void start() {
            application = ProxyKindsTest.this.start(Beans.class);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "scoped",
                    "scopedByInterface",
                    "prototype",
                    "lazy",
                    "product",
                    "lambda",
                    "proxyableByInterface"
                })
        void areProtected(String beanName) {
            assertProtected(application.getBean(beanName, PaymentService.class), beanName);
        }

        @Test
        void protectEveryInstanceOfAPrototype() {
            PaymentService one = application.getBean("prototype", PaymentService.class);
            PaymentService other = application.getBean("prototype", PaymentService.class);

            assertThat(one).isNotSameAs(other);
            assertThat(other.pay("instances")).isEqualTo(one.pay("instances"));
            committed.assertOneEffectInTheTransactionOfItsClaim("instances");
        }

        @Test
        void letTwoBeansOfOneClassShareItsScopeIfItIsShared() {
            PaymentService one = application.getBean("one", PaymentService.class);
            PaymentService other = application.getBean("other", PaymentService.class);

            assertThat(one).isNotSameAs(other);
            assertThat(other.pay("two-beans")).isEqualTo(one.pay("two-beans"));
            committed.assertOneEffectInTheTransactionOfItsClaim("two-beans");
        }

        @Test
        void protectTheMethodOfAConfigurationClass() {
            PaymentService configuration = application.getBean(Beans.class);

            assertProtected(configuration, "configuration");
        }

        @Test
        void protectAMethodThatIsNotPublic() {
            PackagePrivate service = application.getBean(PackagePrivate.class);

            Receipt first = service.payWithinPackage("package-private");

            assertThat(service.payWithinPackage("package-private")).isEqualTo(first);
            committed.assertOneEffectInTheTransactionOfItsClaim("package-private");
        }

        @ParameterizedTest
        @ValueSource(strings = {"inheriting", "overriding", "otherOverriding"})
        void protectAMethodOfAGenericSuperclass(String beanName) {
            assertHandlerProtected(handler(application, beanName), "class-" + beanName);
        }

        @Test
        void letImplementationsOfOneAnnotatedMethodShareItsScope() {
            Receipt first = handler(application, "overriding").handle("shared");

            assertThat(handler(application, "otherOverriding").handle("shared")).isEqualTo(first);
            assertThat(handler(application, "inheriting").handle("shared")).isEqualTo(first);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class InterfaceBasedProxies {

        @AutoClose
        private ConfigurableApplicationContext application;

        @BeforeAll
        void start() {
            application =
                    ProxyKindsTest.this.start(new Class<?>[] {Beans.class}, "spring.aop.proxy-target-class=false");
        }

        @ParameterizedTest
        @ValueSource(strings = {"transactional", "notTransactional", "product", "prototype", "lambda"})
        void areProtected(String beanName) {
            PaymentService service = application.getBean(beanName, PaymentService.class);

            assertThat(Proxy.isProxyClass(service.getClass())).isTrue();
            assertProtected(service, "interface-" + beanName);
        }

        @ParameterizedTest
        @ValueSource(strings = {"inheriting", "overriding", "otherOverriding"})
        void protectTheImplementationOfAGenericInterface(String beanName) {
            Handler<String, Receipt> handler = handler(application, beanName);

            assertThat(Proxy.isProxyClass(handler.getClass())).isTrue();
            assertHandlerProtected(handler, "interface-" + beanName);
        }
    }

    private void assertHandlerProtected(Handler<String, Receipt> handler, String key) {
        Receipt first = handler.handle(key);
        assertThat(handler.handle(key)).isEqualTo(first);
        committed.assertOneEffectInTheTransactionOfItsClaim(key);
    }

    @SuppressWarnings("unchecked") // All handlers among the beans are of this type.
    private static Handler<String, Receipt> handler(ConfigurableApplicationContext application, String beanName) {
        return application.getBean(beanName, Handler.class);
    }

    @Test
    void protectABeanInACircleThatIsInjectedLazily() {
        try (ConfigurableApplicationContext application = start(
                new Class<?>[] {PaymentsInACircle.class, UserInACircle.class},
                "spring.main.allow-circular-references=true")) {
            assertProtected(application.getBean(UserInACircle.class).payments, "circle");
        }
    }

    static class UserInACircle {

        @Autowired
        @Lazy
        PaymentService payments;
    }

    static class PaymentsInACircle extends Payments {

        @Autowired
        UserInACircle user;
    }

    @Configuration
    static class Beans extends LedgerBean implements PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "configuration", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }

        @Bean
        static BeanFactoryPostProcessor threadScope() {
            return beanFactory -> beanFactory.registerScope("thread", new SimpleThreadScope());
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Payments scoped() {
            return new Payments();
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.INTERFACES)
        Payments scopedByInterface() {
            return new Payments();
        }

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        PaymentService prototype() {
            return new PaymentsWithoutTransaction();
        }

        @Bean
        @Lazy
        PaymentService lazy() {
            return new PaymentsWithoutTransaction();
        }

        @Bean
        FactoryBean<PaymentService> product() {
            return new FactoryBean<>() {
                @Override
                public PaymentService getObject() {
                    Payments payments = new Payments();
                    payments.ledger = ledger;
                    return payments;
                }

                @Override
                public Class<?> getObjectType() {
                    return PaymentService.class;
                }
            };
        }

        @Bean
        PaymentService transactional() {
            return new Payments();
        }

        @Bean
        PaymentService notTransactional() {
            return new PaymentsWithoutTransaction();
        }

        @Bean
        PaymentService one() {
            return new PaymentsWithoutTransaction();
        }

        @Bean
        PaymentService other() {
            return new PaymentsWithoutTransaction();
        }

        @Bean
        PackagePrivate packagePrivate() {
            return new PackagePrivate();
        }

        @Bean
        Handler<String, Receipt> inheriting() {
            return new InheritingHandler();
        }

        @Bean
        Handler<String, Receipt> overriding() {
            return new OverridingHandler();
        }

        @Bean
        Handler<String, Receipt> otherOverriding() {
            return new OtherOverridingHandler();
        }

        @Bean
        PaymentService lambda() {
            LambdaPayments lambda = key -> ledger.enter(key);
            return lambda;
        }

        @Bean
        @Proxyable(ProxyType.INTERFACES)
        PaymentService proxyableByInterface() {
            return new Payments();
        }
    }

    @FunctionalInterface
    interface LambdaPayments extends PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "lambda", key = "#key")
        Receipt pay(String key);
    }

    static class PackagePrivate extends LedgerBean {

        @Transactional
        @Idempotent(scope = "package-private", key = "#key")
        Receipt payWithinPackage(String key) {
            return ledger.enter(key);
        }
    }

    /** A command handler as applications have it. */
    interface Handler<C, R> {

        R handle(C command);
    }

    abstract static class LedgerHandler<C> extends LedgerBean implements Handler<C, Receipt> {

        @Override
        @Transactional
        @Idempotent(scope = "handlers", key = "#command", shared = true)
        public Receipt handle(C command) {
            return ledger.enter(command.toString());
        }
    }

    static class InheritingHandler extends LedgerHandler<String> {}

    static class OverridingHandler extends LedgerHandler<String> {

        @Override
        public Receipt handle(String command) {
            return super.handle(command);
        }
    }

    static class OtherOverridingHandler extends LedgerHandler<String> {

        @Override
        public Receipt handle(String command) {
            return super.handle(command);
        }
    }

    static class NeedingPostProcessor implements BeanPostProcessor {

        NeedingPostProcessor(PaymentService needed) {}
    }

    static class NeedingMergedDefinitionPostProcessor extends NeedingPostProcessor
            implements MergedBeanDefinitionPostProcessor {

        NeedingMergedDefinitionPostProcessor(PaymentService needed) {
            super(needed);
        }

        @Override
        public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {}
    }
}
