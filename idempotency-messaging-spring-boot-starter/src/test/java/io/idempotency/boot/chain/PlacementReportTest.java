package io.idempotency.boot.chain;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import io.idempotency.Idempotent;
import io.idempotency.boot.chain.elsewhere.PackagePrivatePayments;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.junit.jupiter.params.provider.Arguments.arguments;

/** An annotation that would be ignored where it stands is reported at start-up: where, why, and what to change. */
@PostgresTest
class PlacementReportTest {

    private static final String CONTAINER = "is called by the container when it makes or destroys the bean";

    private final TestDatabase database;

    PlacementReportTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Arguments> places() {
        return Stream.of(
                arguments(OnTheClass.class, "@Composed, which includes @Idempotent, stands on class", "each method"),
                arguments(OnTheSuperclass.class, "stands on class " + OnTheClass.class.getName(), "each method"),
                arguments(OnTheInterface.class, "stands on interface", "each method"),
                arguments(
                        OnAReceiver.class,
                        "@ComposedReceiver, which includes @IdempotentReceiver, stands on class",
                        "each method"),
                arguments(OnAField.class, "stands on private final java.lang.String", "each method"),
                arguments(OnAConstructor.class, "stands on public " + OnAConstructor.class.getName(), "each method"),
                arguments(OnAParameter.class, "stands on a parameter of public", "each method"),
                arguments(OnAParameterOfAConstructor.class, "stands on a parameter of public", "each method"),
                arguments(OnABeanMethod.class, "stands on a @Bean method, which makes a bean", "the bean's class"),
                arguments(OnAStaticBeanMethod.class, "stands on a @Bean method", "the bean's class"),
                arguments(OnABeanMethodOfAnInterface.class, "stands on a @Bean method", "the bean's class"),
                arguments(OnAStaticInterfaceMethod.class, "stands on a static method", "Make the method public"),
                arguments(OnAPrivateInterfaceMethod.class, "stands on a private method", "Make the method public"),
                arguments(
                        InAnotherPackage.class, "which is in another package, cannot intercept", "public or protected"),
                arguments(Twice.class, "has more than one @Idempotent, of which only one", "Keep one of them"),
                arguments(OfInfrastructure.class, "is an AopInfrastructureBean", "create the bean after"),
                arguments(AfterConstruction.class, CONTAINER, "@EventListener(ContextRefreshedEvent.class)"),
                arguments(BeforeDestruction.class, CONTAINER, "SmartLifecycle"),
                arguments(Initializing.class, CONTAINER, "let another bean call the method"),
                arguments(Disposable.class, CONTAINER, "let another bean call the method"),
                arguments(Closeable.class, CONTAINER, "let another bean call the method"),
                arguments(Aware.class, CONTAINER, "let another bean call the method"),
                arguments(Injected.class, CONTAINER, "let another bean call the method"),
                arguments(WithAnInitMethod.class, CONTAINER, "let another bean call the method"),
                arguments(WithADestroyMethod.class, CONTAINER, "let another bean call the method"),
                arguments(WithAnInferredDestroyMethod.class, CONTAINER, "let another bean call the method"));
    }

    @ParameterizedTest
    @MethodSource("places")
    void reportsThePlaceAndWhatToChange(Class<?> bean, String problem, String action) {
        StartupFailure.of(database, new Class<?>[] {bean}).says(problem).advises(action);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Idempotent(scope = "composed", key = "'key'")
    @interface Composed {}

    @Retention(RetentionPolicy.RUNTIME)
    @Idempotent(scope = "composed-too", key = "'key'")
    @interface ComposedToo {}

    @Retention(RetentionPolicy.RUNTIME)
    @IdempotentReceiver(consumer = "composed", messageId = "'id'")
    @interface ComposedReceiver {}

    @Composed
    static class OnTheClass {

        public void pay() {}
    }

    static class OnTheSuperclass extends OnTheClass {}

    @Composed
    interface AnnotatedInterface {

        void pay();
    }

    static class OnTheInterface implements AnnotatedInterface {

        @Override
        public void pay() {}
    }

    @ComposedReceiver
    static class OnAReceiver {

        public void receive() {}
    }

    static class OnAField {

        @Composed
        private final String key = "key";

        public String pay() {
            return key;
        }
    }

    static class OnAConstructor {

        @Composed
        public OnAConstructor() {}
    }

    static class OnAParameter {

        public String pay(@Composed String key) {
            return key;
        }
    }

    static class OnAParameterOfAConstructor {

        public OnAParameterOfAConstructor(@Composed Environment environment) {}
    }

    @Configuration
    static class OnABeanMethod {

        @Bean
        @Idempotent(scope = "bean", key = "'key'")
        Receipt receipt() {
            return new Receipt(null, "key");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnAStaticBeanMethod {

        @Bean
        @Idempotent(scope = "bean", key = "'key'")
        static Receipt receipt() {
            return new Receipt(null, "key");
        }
    }

    interface Beans {

        @Bean
        @Idempotent(scope = "bean", key = "'key'")
        default Receipt receipt() {
            return new Receipt(null, "key");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnABeanMethodOfAnInterface implements Beans {}

    interface StaticMethod {

        @Idempotent(scope = "static", key = "#key")
        static String pay(String key) {
            return key;
        }
    }

    static class OnAStaticInterfaceMethod implements StaticMethod {}

    interface PrivateMethod {

        @Idempotent(scope = "private", key = "#key")
        private String payInside(String key) {
            return key;
        }

        default String pay(String key) {
            return payInside(key);
        }
    }

    static class OnAPrivateInterfaceMethod implements PrivateMethod {}

    static class InAnotherPackage extends PackagePrivatePayments {}

    static class Twice {

        @Composed
        @ComposedToo
        public void pay() {}
    }

    static class OfInfrastructure implements AopInfrastructureBean {

        @Idempotent(scope = "infrastructure", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class AfterConstruction {

        @PostConstruct
        @Idempotent(scope = "callback", key = "'key'")
        public void seed() {}
    }

    static class BeforeDestruction {

        @PreDestroy
        @Idempotent(scope = "callback", key = "'key'")
        public void settle() {}
    }

    static class Initializing implements InitializingBean {

        @Override
        @Idempotent(scope = "callback", key = "'key'")
        public void afterPropertiesSet() {}
    }

    static class Disposable implements DisposableBean {

        @Override
        @Idempotent(scope = "callback", key = "'key'")
        public void destroy() {}
    }

    static class Closeable implements AutoCloseable {

        @Override
        @Idempotent(scope = "callback", key = "'key'")
        public void close() {}
    }

    static class Aware implements BeanNameAware {

        @Override
        @Idempotent(scope = "callback", key = "#name")
        public void setBeanName(String name) {}
    }

    static class Injected {

        @Autowired
        @Idempotent(scope = "callback", key = "#environment", fingerprint = "'none'")
        public void use(Environment environment) {}
    }

    static class Seeding {

        @Idempotent(scope = "callback", key = "'key'")
        public void seed() {}

        @Idempotent(scope = "shutdown", key = "'key'")
        public void shutdown() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAnInitMethod {

        @Bean(initMethod = "seed", destroyMethod = "")
        Seeding seeding() {
            return new Seeding();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithADestroyMethod {

        @Bean(destroyMethod = "seed")
        Seeding seeding() {
            return new Seeding();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAnInferredDestroyMethod {

        @Bean
        Seeding seeding() {
            return new Seeding();
        }
    }
}
