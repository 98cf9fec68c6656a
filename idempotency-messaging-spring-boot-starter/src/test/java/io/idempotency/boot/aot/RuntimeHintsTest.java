package io.idempotency.boot.aot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.messaging.tracing.IdempotencyMessagingTracingAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.tracing.IdempotencyTracingAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;

import static org.assertj.core.api.Assertions.assertThat;

/** What a native image is told, and that ahead-of-time processing gets through. */
@Tag("full")
class RuntimeHintsTest {

    private static final ClassNameGenerator APPLICATION =
            new ClassNameGenerator(ClassName.get("io.idempotency.boot.aot", "Application"));

    @Test
    void everyMigrationIsTakenAlongAndTheSqlFunctions() {
        RuntimeHints hints = new RuntimeHints();
        AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.idempotency"))
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));

        assertThat(MigratedTables.ALL.stream().flatMap(StorageFeature::resources))
                .contains(CoreFeatures.SQL_FUNCTIONS, MessagingFeatures.SQL_FUNCTIONS)
                .hasSize(13)
                .allMatch(name ->
                        RuntimeHintsPredicates.resource().forResource(name).test(hints));
    }

    @ParameterizedTest
    @ValueSource(classes = {Order.class, Line.class, Confirmation.class, Page.class})
    void responsesAndPayloadsCanBeBound(Class<?> type) {
        RuntimeHints hints = hintsFor(Orders.class);

        assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(accessorOf(type)))
                .accepts(hints);
    }

    @Test
    void payloadsOfMessagesCanBeBound() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Order.class)).accepts(hintsFor(Receiver.class));
        assertThat(RuntimeHintsPredicates.reflection().onType(Order.class)).accepts(hintsFor(Handler.class));
    }

    @Test
    void methodsThatAreNotIdempotentNeedNothing() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Unrelated.class)).rejects(hintsFor(Orders.class));
        assertThat(contributionTo(Unrelated.class, new DefaultListableBeanFactory()))
                .isNull();
    }

    @Test
    void annotationOnAnInterfaceCountsToo() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Confirmation.class))
                .accepts(hintsFor(OrdersByInterface.class));
    }

    @Test
    void codeThatIsGeneratedForAnApplicationCompiles(@TempDir Path directory) throws IOException {
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        application.register(
                JdbcTestApplication.class, WithOutbox.class, WithTracing.class, Notebook.class, Handler.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                APPLICATION, new FileSystemGeneratedFiles(kind -> directory.resolve(kind.name())));

        new ApplicationContextAotGenerator().processAheadOfTime(application, generation);
        generation.writeGeneratedContent();

        List<String> sources = sourcesIn(directory);
        assertThat(sources)
                .anyMatch(name -> name.endsWith("IdempotencyAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyLeaseAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyLoggingAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyTracingAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyMigrationAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyOutboxAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(name -> name.endsWith("IdempotencyRetentionAutoConfiguration__BeanDefinitions.java"));
        assertThat(errorsOfCompiling(sources, directory)).isEmpty();
    }

    private static List<String> sourcesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".java"))
                    .toList();
        }
    }

    private static String errorsOfCompiling(List<String> sources, Path directory) {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-nowarn", "-d", directory.toString(), "-cp", System.getProperty("java.class.path")));
        arguments.addAll(sources);
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, errors, arguments.toArray(String[]::new));
        return result == 0 ? "" : errors.toString(StandardCharsets.UTF_8);
    }

    private static RuntimeHints hintsFor(Class<?> beanClass) {
        DefaultGenerationContext generation = new DefaultGenerationContext(APPLICATION, new InMemoryGeneratedFiles());
        contributionTo(beanClass, new DefaultListableBeanFactory()).applyTo(generation, null);
        return generation.getRuntimeHints();
    }

    /** Asks the processors that the library registers with Spring. */
    private static BeanRegistrationAotContribution contributionTo(
            Class<?> beanClass, DefaultListableBeanFactory beanFactory) {
        beanFactory.registerBeanDefinition("bean", new RootBeanDefinition(beanClass));
        return AotServices.factories().load(BeanRegistrationAotProcessor.class).stream()
                .filter(AnnotatedMethodAotProcessor.class::isInstance)
                .map(ours -> ours.processAheadOfTime(RegisteredBean.of(beanFactory, "bean")))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static Method accessorOf(Class<?> type) {
        try {
            return type.getMethod(type.getRecordComponents()[0].getName());
        } catch (NoSuchMethodException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    record Order(List<Line> lines) {}

    record Line(String article, BigDecimal price) {}

    record Confirmation(String number) {}

    record Page<T>(List<T> items) {}

    record Unrelated(String anything) {}

    static class Receiver {

        @IdempotentReceiver(consumer = "orders", messageId = "#id", payload = "#order")
        public void receive(String id, Order order) {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        ObservationAutoConfiguration.class,
        IdempotencyTracingAutoConfiguration.class,
        IdempotencyMessagingTracingAutoConfiguration.class
    })
    static class WithTracing {}

    static class Handler {

        @OutboxHandler(topic = "orders")
        void handle(Order order, OutboxRecord message) {}
    }

    static class Orders {

        @Idempotent(scope = "orders", key = "#key")
        public Page<Confirmation> order(String key, Order order) {
            return new Page<>(List.of());
        }

        public Unrelated other() {
            return new Unrelated("");
        }
    }

    interface OrderService {

        @Idempotent(scope = "orders-by-interface", key = "#key")
        Confirmation order(String key);
    }

    static class OrdersByInterface implements OrderService {

        @Override
        public Confirmation order(String key) {
            return new Confirmation(key);
        }
    }
}
