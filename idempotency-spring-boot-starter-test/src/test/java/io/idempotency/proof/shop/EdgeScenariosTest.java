package io.idempotency.proof.shop;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.MethodCall;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** What is right and unusual is no finding. */
@Tag("full")
class EdgeScenariosTest {

    private static final Path PAGES = Path.of("target/idempotency");

    private static volatile boolean resumes;

    private static Events tests;

    @BeforeAll
    static void run() {
        tests = events(EdgeScenarios.class);
    }

    @Test
    void noneIsReported() {
        assertThat(failures(tests)).isEmpty();
    }

    @Test
    void nothingIsResumedBesides() {
        assertThat(resumes).isFalse();
    }

    @Test
    void aLargeRowMakesNoLargePage() throws IOException {
        assertThat(Files.size(PAGES.resolve(EdgeScenarios.class.getName() + ".large.html")))
                .isLessThan(1_000_000);
    }

    @Test
    void aNameOfKotlinMayHaveSpaces() throws Exception {
        String name = "a note of 100% is written: once?";
        Class<?> inKotlin = new ByteBuddy()
                .subclass(KotlinScenarios.class)
                .name(KotlinScenarios.class.getName() + "Kt")
                .defineMethod(name, void.class, Visibility.PUBLIC)
                .withParameters(RightShop.class)
                .intercept(MethodCall.invoke(RightShop.class.getMethod("delta", String.class))
                        .onArgument(0)
                        .with("key-1"))
                .annotateMethod(AnnotationDescription.Builder.ofType(IdempotencyScenario.class)
                        .build())
                .make()
                .load(
                        KotlinScenarios.class.getClassLoader(),
                        ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
                .getLoaded();

        Events events = events(inKotlin);

        assertThat(failures(events)).isEmpty();
        assertThat(events.succeeded().list())
                .filteredOn(event -> event.getTestDescriptor().getDisplayName().equals(name))
                .singleElement()
                .satisfies(event -> assertThat(event.getTestDescriptor().getSource())
                        .containsInstanceOf(MethodSource.class)
                        .map(source -> ((MethodSource) source).getMethodName())
                        .hasValue(name));
        assertThat(PAGES).isDirectoryContaining("glob:**a_note_of_100__is_written__once_-*.html");
    }

    private static List<Throwable> failures(Events events) {
        return events.failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .toList();
    }

    private static Events events(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .allEvents();
    }

    @SpringBootTest(
            classes = {ShopConfiguration.class, EdgeShop.class},
            properties = {
                "spring.sql.init.mode=always",
                "spring.jpa.hibernate.ddl-auto=none",
                "spring.datasource.hikari.maximum-pool-size=1",
                "idempotency.outbox.poll-interval=1ms"
            })
    static class EdgeScenarios implements IdempotencyProof {

        @IdempotencyScenario
        void connectionValues(EdgeShop shop) {
            shop.connectionValues("key-1");
        }

        @IdempotencyScenario
        Object response(EdgeShop shop) {
            return EdgeShop.response(shop.confirm("key-1"));
        }

        @IdempotencyScenario
        Object refusal(EdgeShop shop) {
            return shop.refuse("key-1");
        }

        @IdempotencyScenario
        void tableMade(EdgeShop shop) {
            shop.makeTable("key-1");
        }

        @IdempotencyScenario
        void resumable(EdgeShop shop, ApplicationContext context) {
            resumes |= context.containsBean("idempotencyResumeRunner");
            shop.resumable("key-1");
        }

        @IdempotencyScenario
        void large(EdgeShop shop) {
            shop.large("key-1");
        }

        @IdempotencyScenario
        Object interruptedBefore(EdgeShop shop) {
            return Thread.currentThread().isInterrupted() ? "interrupted" : shop.confirm("key-1");
        }
    }

    @SpringBootTest(
            classes = ShopConfiguration.class,
            properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
    static class KotlinScenarios implements IdempotencyProof {}
}
