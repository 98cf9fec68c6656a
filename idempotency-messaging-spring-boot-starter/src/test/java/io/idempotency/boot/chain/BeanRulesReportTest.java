package io.idempotency.boot.chain;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import jakarta.annotation.security.RolesAllowed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.scheduling.annotation.Async;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.service.annotation.PostExchange;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** A bean whose calls the library cannot protect is reported at start-up: which one, why, and what to change. */
class BeanRulesReportTest extends LedgerTests {

    private StartupFailure reportOf(Class<?>... beans) {
        return StartupFailure.of(database, beans);
    }

    @ParameterizedTest
    @ValueSource(classes = {NeededByAnOrderedPostProcessor.class, NeededByAFactoryPostProcessor.class})
    void reportsABeanThatIsCreatedBeforeItCouldBeAdvised(Class<?> postProcessor) {
        reportOf(TooEarly.class, postProcessor)
                .says("The bean 'tooEarly' has idempotent methods, but no proxy", "it was created too early")
                .advises("make the dependency of the post-processor lazy", "ObjectProvider");
    }

    @Test
    void reportsTheProductOfAFactoryThatIsCreatedTooEarly() {
        reportOf(ProductNeededByAPostProcessor.class)
                .says("The bean 'product' has idempotent methods", "it was created too early");
    }

    @Test
    void reportsAnObjectThatIsRegisteredAsASingleton() {
        reportOf(RegistersAnObject.class)
                .says("The bean 'registered' has idempotent methods", "was registered as a ready object")
                .advises("register a bean definition instead of an object");
    }

    @ParameterizedTest
    @ValueSource(classes = {ReturnsAProxyFactoryProxy.class, ReturnsAFrozenProxy.class, ReturnsAJavaProxy.class})
    void reportsAProxyMadeByHand(Class<?> configuration) {
        reportOf(configuration)
                .says("The bean 'handMade' with idempotent methods is a proxy made by hand")
                .advises("Return the object itself from the bean method");
    }

    @Test
    void reportsTwoBeansOfWhichEachCouldResumeTheCallsOfTheOther() {
        reportOf(TwoToResume.class)
                .says("'first' and 'second' both have the idempotent method", ToResume.class.getName() + ".pay(String)")
                .advises("a scope of its own");
    }

    @Test
    void reportsAnAsynchronousMethodThatIsToBeResumed() {
        reportOf(AsyncToResume.class)
                .says(AsyncToResume.class.getName() + ".pay(String) has resume = true and is @Async")
                .advises("Remove one of the two");
    }

    @Test
    void reportsAllMistakesOfAClassAtOnce() {
        reportOf(ThreeMistakes.class)
                .says(
                        "There are 3 mistakes:",
                        "1. @Idempotent stands on a final method",
                        "2. The idempotent method " + ThreeMistakes.class.getName() + ".untyped(String) returns",
                        "3. The key of @Idempotent on " + ThreeMistakes.class.getName() + ".misspelt(String) is '#kye'")
                .advises("What to do about each:", "1. Make the method", "2. Declare the type", "3. ");
    }

    @Test
    void reportsAllMistakesOfAllClassesAtOnce() {
        reportOf(ThreeMistakes.class, WithoutHash.class, AtRandom.class, LazyMistake.class)
                .says(
                        "There are 6 mistakes:",
                        "1. @Idempotent stands on a final method",
                        ThreeMistakes.class.getName() + ".untyped(String) returns",
                        ThreeMistakes.class.getName() + ".misspelt(String) is '#kye'",
                        "The key 'key' of @Idempotent on " + WithoutHash.class.getName(),
                        "The messageId 'T(java.util.UUID).randomUUID()' of @IdempotentReceiver on "
                                + AtRandom.class.getName(),
                        "The scope 'without-hash' is used by two methods")
                .advises("What to do about each:", "6. ");
    }

    static class WithoutHash {

        @Idempotent(scope = "without-hash", key = "key")
        public String pay(String key) {
            return key;
        }
    }

    static class AtRandom {

        @IdempotentReceiver(consumer = "at-random", messageId = "T(java.util.UUID).randomUUID()")
        public void receive(String id) {}
    }

    @Lazy
    static class LazyMistake {

        @Idempotent(scope = "without-hash", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    @Test
    void reportsTheResponsesOfAllBeansThatCannotBeStoredAtOnce() {
        reportOf(HidesItsResponse.class, HidesItsResponseToo.class)
                .says(
                        "There are 2 mistakes:",
                        "1. The idempotent method " + HidesItsResponse.class.getName() + ".pay(String)",
                        "2. The idempotent method " + HidesItsResponseToo.class.getName() + ".pay(String)");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Gateways.class,
                LazyGateways.class,
                PrototypeGateways.class,
                PrimaryGateways.class,
                SubclassGateways.class,
                InterfaceGateways.class
            })
    void reportsTwoBeansOfWhichOneWouldAnswerForTheOther(Class<?> gateways) {
        reportOf(gateways)
                .says(
                        "The beans 'adyen' and 'stripe' share the scope 'charges' of ",
                        ".charge(String): what one of them has done would count as done by the other.")
                .advises(
                        "Let each have a scope of its own, with @Idempotent on a method of its own class",
                        "\"#root.name + ':' + #id\"",
                        "write shared = true");
    }

    @Test
    void reportsTwoBeansOfWhichOneWouldSkipTheMessagesOfTheOther() {
        reportOf(TwoReceivers.class)
                .says("The beans 'one' and 'other' share the consumer 'parcels' of ")
                .advises("let the messageId name the bean");
    }

    @Test
    void startsWithOneScopedBeanWhoseProxyIsLazy() {
        try (ConfigurableApplicationContext application = start(OneLazyScopedGateway.class)) {
            assertThat(application.getBean("scoped", Gateway.class).charge("45"))
                    .isEqualTo("scoped charged 45");
        }
    }

    @Test
    void startsWithTwoBeansOfWhichNoneAnswersForTheOtherUnlessItMay() {
        Class<?>[] allowed = {
            SharedGateways.class,
            NamedGateways.class,
            OwnGateways.class,
            OneScopedGateway.class,
            RegisteredGateway.class
        };
        try (ConfigurableApplicationContext application = start(allowed)) {
            NamedGateway adyen = application.getBean("namedAdyen", NamedGateway.class);
            NamedGateway stripe = application.getBean("namedStripe", NamedGateway.class);
            Gateway scoped = application.getBean("scoped", Gateway.class);

            assertThat(adyen.charge("42")).isEqualTo("adyen charged 42");
            assertThat(stripe.charge("42")).isEqualTo("stripe charged 42");
            assertThat(adyen.charge("42")).isEqualTo("adyen charged 42");
            assertThat(scoped.charge("43")).isEqualTo("scoped charged 43");
            assertThat(application.getBean("scoped", Gateway.class).charge("43"))
                    .isEqualTo("scoped charged 43");
            assertThat(application
                            .getAutowireCapableBeanFactory()
                            .createBean(MadeByTheContainer.class)
                            .charge("44"))
                    .isEqualTo("made charged 44");
        }
    }

    static class Gateway {

        private final String name;

        Gateway(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }

        @Idempotent(scope = "charges", key = "#id")
        public String charge(String id) {
            return name + " charged " + id;
        }
    }

    static class Gateways {

        @Bean
        Gateway adyen() {
            return new Gateway("adyen");
        }

        @Bean
        Gateway stripe() {
            return new Gateway("stripe");
        }
    }

    static class LazyGateways {

        @Bean
        @Lazy
        Gateway adyen() {
            return new Gateway("adyen");
        }

        @Bean
        @Lazy
        Gateway stripe() {
            return new Gateway("stripe");
        }
    }

    static class PrototypeGateways {

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Gateway adyen() {
            return new Gateway("adyen");
        }

        @Bean
        @Scope(WebApplicationContext.SCOPE_REQUEST)
        Gateway stripe() {
            return new Gateway("stripe");
        }
    }

    static class PrimaryGateways {

        @Bean
        @Primary
        Gateway adyen() {
            return new Gateway("adyen");
        }

        @Bean
        Gateway stripe() {
            return new Gateway("stripe");
        }
    }

    static class SubclassGateways {

        @Bean
        Gateway adyen() {
            return new Gateway("adyen") {};
        }

        @Bean
        Gateway stripe() {
            return new Gateway("stripe") {
                @Override
                public String charge(String id) {
                    return super.charge(id);
                }
            };
        }
    }

    interface Charges {

        @Idempotent(scope = "charges", key = "#p0")
        String charge(String id);
    }

    static class InterfaceGateways {

        @Bean
        Charges adyen() {
            return id -> "adyen charged " + id;
        }

        @Bean
        Charges stripe() {
            return id -> "stripe charged " + id;
        }
    }

    static class TwoReceivers {

        @Bean
        Parcels one() {
            return new Parcels();
        }

        @Bean
        Parcels other() {
            return new Parcels();
        }
    }

    static class Parcels {

        @IdempotentReceiver(consumer = "parcels", messageId = "#id")
        public void receive(String id) {}
    }

    static class SharedGateway {

        @Idempotent(scope = "shared-charges", key = "#id", shared = true)
        public String charge(String id) {
            return id;
        }

        @IdempotentReceiver(consumer = "shared-parcels", messageId = "#id", shared = true)
        public void receive(String id) {}
    }

    static class SharedGateways {

        @Bean
        SharedGateway sharedAdyen() {
            return new SharedGateway();
        }

        @Bean
        SharedGateway sharedStripe() {
            return new SharedGateway();
        }
    }

    static class NamedGateway extends Gateway {

        NamedGateway(String name) {
            super(name);
        }

        @Override
        @Idempotent(scope = "named-charges", key = "#root.name + ':' + #id")
        public String charge(String id) {
            return getName() + " charged " + id;
        }

        @IdempotentReceiver(consumer = "named-parcels", messageId = "name + ':' + #id")
        public void receive(String id) {}
    }

    static class NamedGateways {

        @Bean
        NamedGateway namedAdyen() {
            return new NamedGateway("adyen");
        }

        @Bean
        NamedGateway namedStripe() {
            return new NamedGateway("stripe");
        }
    }

    static class OwnGateways {

        @Bean
        Gateway ownAdyen() {
            return new Gateway("adyen") {
                @Override
                @Idempotent(scope = "adyen-charges", key = "#id")
                public String charge(String id) {
                    return super.charge(id);
                }
            };
        }

        @Bean
        Gateway ownStripe() {
            return new Gateway("stripe") {
                @Override
                @Idempotent(scope = "stripe-charges", key = "#id")
                public String charge(String id) {
                    return super.charge(id);
                }
            };
        }
    }

    static class OneScopedGateway {

        @Bean
        static BeanFactoryPostProcessor threadScope() {
            return beanFactory -> beanFactory.registerScope("thread", new SimpleThreadScope());
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        ScopedGateway scoped() {
            return new ScopedGateway();
        }
    }

    /** Both the proxy and its target are found by their types, because neither exists at start-up. */
    static class OneLazyScopedGateway {

        @Bean
        static BeanFactoryPostProcessor threadScope() {
            return beanFactory -> beanFactory.registerScope("thread", new SimpleThreadScope());
        }

        @Bean
        @Lazy
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        ScopedGateway scoped() {
            return new ScopedGateway();
        }
    }

    static class ScopedGateway extends Gateway {

        ScopedGateway() {
            super("scoped");
        }
    }

    @Component("made")
    static class MadeByTheContainer {

        @Idempotent(scope = "made-charges", key = "#id")
        public String charge(String id) {
            return "made charged " + id;
        }
    }

    /** A bean of a class of which the application makes further objects. */
    @Import(MadeByTheContainer.class)
    static class RegisteredGateway {}

    static Stream<Arguments> decorators() {
        return Stream.of(
                argumentSet("with a parameter", List.of(Inner.class, Outer.class)),
                argumentSet("made from another bean", List.of(MadeFromAnotherBean.class)),
                argumentSet("two of one class", List.of(TwoOfOneClass.class)),
                argumentSet("made later", List.of(Inner.class, LazyOuter.class)));
    }

    @ParameterizedTest
    @MethodSource("decorators")
    void reportsABeanThatGetsAnotherImplementationOfItsMethodInjected(List<Class<?>> beans) {
        Throwable failure = catchThrowable(() -> {
            try (ConfigurableApplicationContext application =
                    start(beans.toArray(Class<?>[]::new), StartupFailure.quietly())) {
                application.getBean("outer");
            }
        });

        StartupFailure.of(failure)
                .says("The bean 'outer'", ".pay(String) and gets the bean 'inner'", "with ReentrantCallException")
                .advises("in the class of the bean that is called from outside", "let it have an ObjectProvider");
    }

    static Stream<Arguments> otherDecorators() {
        return Stream.of(
                argumentSet("of a bean that is not idempotent", List.of(PlainInner.class, Outer.class)),
                argumentSet("of a mock", List.of(Mocking.class, Outer.class)),
                argumentSet("of itself", List.of(KnowsItself.class)),
                argumentSet("that calls with another key", List.of(Inner.class, CallsWithAnotherKey.class)));
    }

    @ParameterizedTest
    @MethodSource("otherDecorators")
    void otherDecoratorsStart(List<Class<?>> beans) {
        try (ConfigurableApplicationContext application = start(beans.toArray(Class<?>[]::new))) {
            PaymentService outer = application.getBean("outer", PaymentService.class);
            String key = beans.get(0).getSimpleName();

            assertThat(outer.pay(key)).isEqualTo(outer.pay(key));
        }
    }

    @Component("inner")
    static class Inner extends LedgerBean implements IdempotentPayments {

        @Override
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Component("inner")
    static class PlainInner extends LedgerBean implements PaymentService {

        @Override
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    @Component("outer")
    static class Outer implements IdempotentPayments {

        private final PaymentService inner;

        Outer(PaymentService inner) {
            this.inner = inner;
        }

        @Override
        public Receipt pay(String key) {
            return inner.pay(key);
        }
    }

    @Lazy
    @Component("outer")
    static class LazyOuter extends Outer {

        LazyOuter(PaymentService inner) {
            super(inner);
        }
    }

    @Component("outer")
    static class CallsWithAnotherKey extends Outer {

        CallsWithAnotherKey(ObjectProvider<Inner> inner) {
            super(key -> inner.getObject().pay(key + " inside"));
        }
    }

    @Component("outer")
    static class KnowsItself extends Inner {

        @Autowired
        @Lazy
        PaymentService itself;
    }

    @Configuration
    static class MadeFromAnotherBean {

        @Bean
        Inner inner() {
            return new Inner();
        }

        @Bean
        Outer outer() {
            return new Outer(inner());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoOfOneClass {

        @Bean
        Outer inner() {
            return new Outer(key -> new Receipt(null, key));
        }

        @Bean
        Outer outer(@Qualifier("inner") Outer inner) {
            return new Outer(inner);
        }
    }

    static class Mocking {

        /** Registers the mock as Spring's annotations for tests do. */
        @Bean
        static BeanFactoryPostProcessor mocking() {
            Inner mock = Mockito.mock(Inner.class);
            Mockito.when(mock.pay("Mocking")).thenReturn(new Receipt(UUID.randomUUID(), "mocked"));
            return beanFactory -> beanFactory.registerSingleton("inner", mock);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {SecuredToResume.class, SecuredClassToResume.class, SecuredResultToResume.class})
    void reportsAMethodToBeResumedThatNeedsAnAuthentication(Class<?> bean) {
        reportOf(SecurityOutsideOfTransactions.class, bean)
                .says(bean.getName() + ".pay(String) has resume = true and is secured by org.springframework.security.")
                .advises("Secure the method that calls it");
    }

    @ParameterizedTest
    @ValueSource(classes = {HandlerToResume.class, ExchangeToResume.class})
    void reportsAHandlerMethodThatIsToBeResumed(Class<?> handler) {
        reportOf(handler)
                .says(handler.getName() + ".pay(String) has resume = true and handles HTTP requests")
                .advises("Annotate a service method that the handler calls");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(jsr250Enabled = true)
    static class SecurityOutsideOfTransactions {}

    static class SecuredToResume {

        @PreAuthorize("hasRole('OWNER')")
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    @RolesAllowed("OWNER")
    static class SecuredClassToResume {

        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    static class SecuredResultToResume {

        @PostAuthorize("returnObject == authentication.name")
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public String pay(String key) {
            return key;
        }
    }

    @Controller
    static class HandlerToResume {

        @PostMapping("/payments")
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    interface Exchange {

        @PostExchange("/payments")
        void pay(String key);
    }

    @Controller
    static class ExchangeToResume implements Exchange {

        @Override
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    static class ThreeMistakes {

        @Idempotent(scope = "misspelt", key = "#kye")
        public String misspelt(String key) {
            return key;
        }

        @Idempotent(scope = "finished", key = "#key")
        public final String finished(String key) {
            return key;
        }

        @Idempotent(scope = "untyped", key = "#key")
        public Object untyped(String key) {
            return key;
        }
    }

    static class HidesItsResponse {

        @Idempotent(scope = "hides", key = "#key")
        public Hidden pay(String key) {
            return new Hidden(key);
        }
    }

    static class HidesItsResponseToo {

        @Idempotent(scope = "hides-too", key = "#key")
        public Hidden pay(String key) {
            return new Hidden(key);
        }
    }

    static class Hidden {

        @SuppressWarnings("unused")
        private final String value;

        Hidden(String value) {
            this.value = value;
        }
    }

    static class ToResume {

        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true, shared = true)
        public void pay(String key) {}
    }

    static class TwoToResume {

        @Bean
        ToResume first() {
            return new ToResume();
        }

        @Bean
        ToResume second() {
            return new ToResume();
        }
    }

    static class AsyncToResume {

        @Async
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    @Test
    void reportsABeanInACircleOfReferences() {
        StartupFailure.of(
                        database,
                        new Class<?>[] {InACircle.class, UserInACircle.class},
                        "spring.main.allow-circular-references=true")
                .says("InACircle' with idempotent methods is part of a circular reference")
                .advises("@Lazy");
    }

    @ParameterizedTest
    @ValueSource(classes = {WrapsInAProxy.class, SecondCreator.class})
    void reportsAProxyRoundAProxy(Class<?> postProcessor) {
        reportOf(NeverCalled.class, postProcessor)
                .says(NeverCalled.class.getSimpleName() + "' with idempotent methods is a proxy round another proxy")
                .advises("Let the container make the only proxy", "remove a second creator of proxies");
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondCreator {

        @Bean
        static DefaultAdvisorAutoProxyCreator advisorAutoProxyCreator() {
            return new DefaultAdvisorAutoProxyCreator();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {WrapsInAFrozenProxy.class, WrapsInAnOpaqueProxy.class, WrapsInAnOpaqueProxyBeforeTheLibrary.class
            })
    void reportsAProxyThatCannotBeAdvised(Class<?> postProcessor) {
        reportOf(NeverCalled.class, postProcessor)
                .says(NeverCalled.class.getSimpleName() + "' has idempotent methods", "has a frozen or opaque proxy");
    }

    @Test
    void reportsAMethodThatNoInterfaceOfTheProxyHas() {
        StartupFailure.of(database, new Class<?>[] {MethodInNoInterface.class}, "spring.aop.proxy-target-class=false")
                .says(
                        "has a proxy for its interfaces, but none of them has",
                        MethodInNoInterface.class.getName() + ".pay")
                .advises("Declare the method in an interface", "class-based proxies");
    }

    @ParameterizedTest
    @ValueSource(classes = {UsesRepository.class, NobodyUsesRepository.class})
    @Tag("full")
    void reportsASpringDataRepository(Class<?> user) {
        reportOf(Jpa.class, user)
                .says("such as a Spring Data repository", PaymentRepository.class.getName() + ".pay(String)")
                .advises("Annotate a service method");
    }

    @Test
    void reportsMethodSecurityBehindTheBoundary() {
        reportOf(SecurityInsideOfTransactions.class, SecuredPayments.class)
                .says(SecuredPayments.class.getName() + ".pay(String)", "inside of its transaction")
                .advises("@EnableTransactionManagement(order = ...)", "@EnableMethodSecurity(offset = ...)");
    }

    @Test
    void reportsTransactionsThatAspectJWeaves() {
        reportOf(WovenTransactions.class, NeverCalled.class)
                .says("transactions are woven by AspectJ", NeverCalled.class.getSimpleName())
                .advises("AdviceMode.PROXY");
    }

    static class NeverCalled implements PaymentService {

        @Override
        @Transactional
        @Idempotent(scope = "payments", key = "#key")
        public Receipt pay(String key) {
            throw new UnsupportedOperationException(key);
        }
    }

    interface IdempotentPayments extends PaymentService {

        @Override
        @Idempotent(scope = "interface", key = "#key", shared = true)
        Receipt pay(String key);
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        @Bean
        static NeverCalled tooEarly() {
            return new NeverCalled();
        }
    }

    static class NeededByAPostProcessor implements BeanPostProcessor {

        NeededByAPostProcessor(PaymentService needed) {}
    }

    static class NeededByAnOrderedPostProcessor extends NeededByAPostProcessor implements Ordered {

        NeededByAnOrderedPostProcessor(PaymentService needed) {
            super(needed);
        }

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }

    static class NeededByAFactoryPostProcessor {

        @Bean
        static BeanFactoryPostProcessor postProcessor() {
            return beanFactory -> beanFactory.getBean("tooEarly");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProductNeededByAPostProcessor {

        @Bean
        static FactoryBean<NeverCalled> product() {
            return new FactoryBean<>() {
                @Override
                public NeverCalled getObject() {
                    return new NeverCalled();
                }

                @Override
                public Class<?> getObjectType() {
                    return NeverCalled.class;
                }
            };
        }

        @Bean
        static NeededByAnOrderedPostProcessor postProcessor(PaymentService needed) {
            return new NeededByAnOrderedPostProcessor(needed);
        }
    }

    static class UserInACircle {

        @Autowired
        PaymentService payments;
    }

    static class InACircle extends NeverCalled {

        @Autowired
        UserInACircle user;
    }

    static class RegistersAnObject {

        RegistersAnObject(ConfigurableListableBeanFactory beanFactory) {
            beanFactory.registerSingleton("registered", new NeverCalled());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsAProxyFactoryProxy {

        @Bean
        NeverCalled handMade() {
            ProxyFactory factory = new ProxyFactory(new NeverCalled());
            factory.setProxyTargetClass(true);
            return (NeverCalled) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsAFrozenProxy {

        @Bean
        PaymentService handMade() {
            ProxyFactory factory = new ProxyFactory(new NeverCalled());
            factory.setFrozen(true);
            return (PaymentService) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsAJavaProxy {

        @Bean
        IdempotentPayments handMade() {
            return (IdempotentPayments) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {IdempotentPayments.class},
                    (proxy, method, arguments) -> {
                        throw new UnsupportedOperationException(method.getName());
                    });
        }
    }

    /** Puts another proxy in the place of the bean. */
    static class WrapsInAProxy implements BeanPostProcessor, Ordered {

        private final int order;

        private final Consumer<ProxyFactory> configuration;

        WrapsInAProxy() {
            this(LOWEST_PRECEDENCE, factory -> {});
        }

        WrapsInAProxy(int order, Consumer<ProxyFactory> configuration) {
            this.order = order;
            this.configuration = configuration;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!(bean instanceof PaymentService)) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(PaymentService.class, new SingletonTargetSource(bean));
            configuration.accept(factory);
            return factory.getProxy();
        }

        @Override
        public int getOrder() {
            return order;
        }
    }

    static class WrapsInAFrozenProxy extends WrapsInAProxy {

        WrapsInAFrozenProxy() {
            super(LOWEST_PRECEDENCE, factory -> factory.setFrozen(true));
        }
    }

    static class WrapsInAnOpaqueProxy extends WrapsInAProxy {

        WrapsInAnOpaqueProxy() {
            super(LOWEST_PRECEDENCE, factory -> factory.setOpaque(true));
        }
    }

    static class WrapsInAnOpaqueProxyBeforeTheLibrary extends WrapsInAProxy {

        WrapsInAnOpaqueProxyBeforeTheLibrary() {
            super(HIGHEST_PRECEDENCE, factory -> factory.setOpaque(true));
        }
    }

    static class MethodInNoInterface implements Comparable<MethodInNoInterface> {

        @Idempotent(scope = "no-interface", key = "#key")
        public Receipt pay(String key) {
            throw new UnsupportedOperationException(key);
        }

        @Override
        public int compareTo(MethodInNoInterface other) {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
    @EnableJpaRepositories(considerNestedRepositories = true)
    @org.springframework.boot.persistence.autoconfigure.EntityScan(basePackageClasses = BeanRulesReportTest.class)
    static class Jpa {}

    @jakarta.persistence.Entity
    static class Entry {

        @jakarta.persistence.Id
        String id;
    }

    interface PaymentRepository extends CrudRepository<Entry, String> {

        @Idempotent(scope = "repository", key = "#key")
        @org.springframework.data.jpa.repository.Query("select e from BeanRulesReportTest$Entry e where e.id = :key")
        Entry pay(String key);
    }

    static class UsesRepository {

        UsesRepository(PaymentRepository repository) {}
    }

    static class NobodyUsesRepository {

        NobodyUsesRepository(ObjectProvider<PaymentRepository> repository) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    @EnableTransactionManagement(order = 0)
    static class SecurityInsideOfTransactions {}

    static class SecuredPayments {

        @PreAuthorize("hasRole('PAYER')")
        @Transactional
        @Idempotent(scope = "secured", key = "#key")
        public Receipt pay(String key) {
            throw new UnsupportedOperationException(key);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
    static class WovenTransactions {}
}
