package io.idempotency.boot.chain;

import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

import io.idempotency.Idempotent;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** In a hierarchy of contexts, each idempotent bean is protected, or its context does not start. */
class ContextHierarchyTest extends LedgerTests {

    private static final String ELSEWHERE = "post-processors of another context";

    private ConfigurableApplicationContext parent;

    private ConfigurableApplicationContext child;

    @BeforeAll
    void startParent() {
        parent = start();
    }

    @AfterEach
    void closeChild() {
        if (child != null) {
            child.close();
        }
    }

    @AfterAll
    void closeParent() {
        parent.close();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Payments.class,
                Receiver.class,
                DeclaredAsInterface.class,
                LazyPayments.class,
                PrototypePayments.class,
                ScopedPayments.class,
                ProductOfAFactory.class
            })
    void aChildWithAnUnprotectedBeanDoesNotStart(Class<?> bean) {
        assertRefused(catchThrowable(() -> child = childOf(parent, bean)));
        assertThat(parent.isActive()).isTrue();
    }

    static Stream<Consumer<ConfigurableApplicationContext>> waysToMakeAChild() {
        return Stream.of(
                above -> new SpringApplicationBuilder(Payments.class)
                        .parent(above)
                        .web(WebApplicationType.NONE)
                        .properties(StartupFailure.quietly())
                        .run(),
                above -> {
                    SpringApplication application = new SpringApplication(Payments.class);
                    application.setWebApplicationType(WebApplicationType.NONE);
                    application.addInitializers(context -> context.setParent(above));
                    application.run();
                },
                above -> new SpringApplicationBuilder(Payments.class)
                        .parent(above)
                        .sources(TomcatServletWebServerAutoConfiguration.class)
                        .web(WebApplicationType.SERVLET)
                        .properties("server.port=0")
                        .properties(StartupFailure.quietly())
                        .run(),
                above -> {
                    AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
                    context.setParent(above);
                    context.register(Payments.class);
                    context.refresh();
                },
                above -> childOf(childOf(above), Payments.class),
                above -> childOf(childOf(above, WithTheStarter.class), Payments.class),
                above -> {
                    GenericApplicationContext context = new GenericApplicationContext(above);
                    context.registerBean(Payments.class);
                    context.refresh();
                });
    }

    @ParameterizedTest
    @MethodSource("waysToMakeAChild")
    void aChildIsRefusedHoweverItIsMade(Consumer<ConfigurableApplicationContext> way) {
        assertRefused(catchThrowable(() -> way.accept(parent)));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {MakesAChildWhileItIsInitialized.class, MakesAChildWhenSingletonsAreReady.class, AsyncEvents.class
            })
    void aChildIsRefusedWhateverItsParentDoes(Class<?> bean) {
        assertRefused(catchThrowable(() -> {
            try (ConfigurableApplicationContext other = start(new Class<?>[] {bean}, StartupFailure.quietly())) {
                childOf(other, Payments.class);
            }
        }));
    }

    @Test
    void aBeanWhoseTypeIsKnownOnlyWhenItIsCreatedIsRefusedThen() {
        child = childOf(parent, LazyDeclaredAsInterface.class);

        assertRefused(catchThrowable(() -> child.getBean(PaymentService.class)));
    }

    @Test
    void aParentWithAnUnprotectedBeanIsRefusedWithTheChildThatHasTheStarter() {
        try (ConfigurableApplicationContext plain = new AnnotationConfigApplicationContext(Ignored.class)) {
            StartupFailure.of(catchThrowable(() -> new SpringApplicationBuilder(JdbcTestApplication.class)
                            .parent(plain)
                            .web(WebApplicationType.NONE)
                            .properties(database.springProperties())
                            .properties(StartupFailure.quietly())
                            .run()))
                    .says("Ignored", Ignored.class.getName() + ".pay(String)", ELSEWHERE)
                    .advises("Define the bean in the context");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithTheStarter.class, JdbcTestApplication.class})
    void aChildWithTheStarterProtectsItsBeans(Class<?> configuration) {
        child = childOf(parent, configuration, Payments.class);

        assertProtected(child.getBean(Payments.class), configuration.getSimpleName());
    }

    @Test
    void otherChildrenStart() {
        child = childOf(parent, MockedPayments.class, Ledger.class);

        assertThat(child.getBean(Ledger.class)).isNotSameAs(parent.getBean(Ledger.class));
    }

    private static ConfigurableApplicationContext childOf(ApplicationContext above, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setId("child");
        context.setParent(above);
        if (beans.length > 0) {
            context.register(beans);
        }
        context.refresh();
        return context;
    }

    private static void assertRefused(Throwable failure) {
        StartupFailure.of(failure)
                .says("has the idempotent method", ELSEWHERE)
                .advises("Define the bean in the context", "IdempotencyAutoConfiguration");
    }

    static class Ignored implements PaymentService {

        @Override
        @Idempotent(scope = "ignored", key = "#key")
        public Receipt pay(String key) {
            throw new UnsupportedOperationException(key);
        }
    }

    static class Receiver {

        @IdempotentReceiver(consumer = "receiver", messageId = "#id")
        public void receive(String id) {}
    }

    static class DeclaredAsInterface {

        @Bean
        PaymentService payments() {
            return new Payments();
        }
    }

    static class LazyDeclaredAsInterface {

        @Bean
        @Lazy
        PaymentService payments() {
            return new Payments();
        }
    }

    @Lazy
    static class LazyPayments extends Payments {}

    @Scope("prototype")
    static class PrototypePayments extends Payments {}

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class ScopedPayments extends Payments {}

    static class ProductOfAFactory {

        @Bean
        FactoryBean<Payments> payments() {
            return new FactoryBean<>() {
                @Override
                public Payments getObject() {
                    return new Payments();
                }

                @Override
                public Class<?> getObjectType() {
                    return Payments.class;
                }
            };
        }
    }

    static class MockedPayments {

        @Bean
        Payments payments() {
            return Mockito.mock(Payments.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyAutoConfiguration.class,
        IdempotencyMessagingStorageAutoConfiguration.class,
        IdempotencyMessagingAutoConfiguration.class,
        IdempotencyInboxAutoConfiguration.class
    })
    static class WithTheStarter {}

    static class MakesAChildWhileItIsInitialized {

        @Bean
        static InitializingBean making(ApplicationContext context) {
            return () -> childOf(context, Payments.class);
        }
    }

    static class MakesAChildWhenSingletonsAreReady {

        @Bean
        static SmartInitializingSingleton making(ApplicationContext context) {
            return () -> childOf(context, Payments.class);
        }
    }

    static class AsyncEvents {

        @Bean
        static ApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
            return multicaster;
        }
    }
}
