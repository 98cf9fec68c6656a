package io.idempotency.boot.web;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.idempotency.CallerResolver;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that do things in their own way: nobody meets another's answer, and no key is read from elsewhere. */
@PostgresTest
class UnusualApplicationsTest {

    private static final String QUIET = "logging.level.org.apache.catalina.core.ContainerBase=off";

    private final TestDatabase database;

    UnusualApplicationsTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("drop table if exists customer_order; drop schema if exists idempotency cascade");
        Orders.createTable(database);
    }

    @Test
    @Tag("full")
    void keysReachControllersEvenIfEverythingElseIsSwitchedOff() throws Exception {
        try (HttpApplication application = start(List.of(), "idempotency.enabled=false")) {
            assertThat(application.post("/any-method").key("abc").send().body()).isEqualTo("key abc");
            assertThat(application
                            .post("/impatient-orders")
                            .key("abc")
                            .json(Orders.TEA)
                            .send()
                            .status())
                    .isEqualTo(201);
        }
    }

    @Test
    @Tag("full")
    void aKeyThatSpringMvcWouldTakeFromTheQueryIsReportedAtStartUp() {
        StartupReport report = StartupReport.of(() -> start(List.of(OwnMvc.class)));

        assertThat(report.description()).contains("has a parameter with @IdempotencyKeyHeader, but the Spring MVC");
        assertThat(report.action()).contains("Implement WebMvcConfigurer");
    }

    @Test
    @Tag("full")
    void anErrorAfterAReplayIsNoReplay() throws Exception {
        try (HttpApplication application = start(List.of(FailsAfterwards.class))) {
            application.post("/fails-afterwards").key("key").send();
            Answer answer = application.post("/fails-afterwards").key("key").send();

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.isReplayed()).isFalse();
        }
    }

    @Test
    void aKeyThatWasSentToAnotherPathIsUsedAlready() throws Exception {
        try (HttpApplication application = start(List.of(TwoPaths.class))) {
            Answer charge = application.post("/charge").key("key").send();

            assertThat(application.post("/refund").key("key").send().problem()).isEqualTo("key-reused");
            assertThat(application.post("/charge").key("key").send().withoutMark())
                    .isEqualTo(charge);
        }
    }

    /** The bound of the variable names the variable. */
    @Test
    @Tag("full")
    void elementsOfABoundedTypeVariableDoNotKeepAnApplicationFromStarting() {
        try (HttpApplication application = start(List.of(BoundedElements.class))) {
            assertThat(application.bean(BoundedElements.class).all("key")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {NullCaller.class, LongCaller.class, UnprintableCaller.class})
    @Tag("full")
    void aMistakeOfACallerResolverIsNotTheClients(Class<?> resolver) throws Exception {
        try (HttpApplication application = start(List.of(resolver))) {
            assertThat(application
                            .post("/orders")
                            .key("key")
                            .json(Orders.TEA)
                            .send()
                            .status())
                    .isEqualTo(500);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aCallThatOutlivesItsRequestIsMade(CapturedOutput output) throws Exception {
        try (HttpApplication application = start(List.of(LaterWork.class))) {
            LaterWork later = application.bean(LaterWork.class);
            assertThat(application.post("/later").send().status()).isEqualTo(200);
            // Tomcat answers before it takes the request back, which the next one on the connection waits for.
            application.post("/unrelated").send();

            later.mayBegin.countDown();

            assertThat(later.placed.get(20, TimeUnit.SECONDS).item()).isEqualTo("tea");
            assertThat(output).doesNotContain("Idempotency listener");
        }
    }

    @Test
    void anAdapterOfOtherHandlersNeedNotReadTheKey() throws Exception {
        try (HttpApplication application = start(List.of(OtherAdapter.class))) {
            assertThat(application.post("/any-method").key("abc").send().body()).isEqualTo("key abc");
        }
    }

    private HttpApplication start(List<Class<?>> beans, String... properties) {
        List<Class<?>> all = new ArrayList<>(beans);
        all.add(Orders.class);
        List<String> settings = new ArrayList<>(List.of(properties));
        settings.add(QUIET);
        return HttpApplication.start(database, all, settings.toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMvc extends WebMvcConfigurationSupport {}

    @RestController
    static class FailsAfterwards {

        private final Orders.Service orders;

        FailsAfterwards(Orders.Service orders) {
            this.orders = orders;
        }

        @PostMapping("/fails-afterwards")
        void place(@IdempotencyKeyHeader String key) {
            orders.place(key, new Orders.Order("tea", 1));
            throw new IllegalStateException("the search index is down");
        }
    }

    @RestController
    static class TwoPaths {

        @PostMapping({"/charge", "/refund"})
        @Transactional
        @Idempotent(scope = "two-paths", key = "#key")
        public String call(@IdempotencyKeyHeader String key) {
            return UUID.randomUUID().toString();
        }
    }

    static class BoundedElements {

        /** Elements of an interface cannot be read back, which {@code lossyResponse} accepts. */
        @Transactional
        @Idempotent(scope = "bounded-elements", key = "#key", lossyResponse = true)
        public <T extends Comparable<T>> List<T> all(String key) {
            return List.of();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NullCaller {

        @Bean
        CallerResolver nobody() {
            return () -> null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LongCaller {

        @Bean
        CallerResolver longName() {
            return () -> "x".repeat(200);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UnprintableCaller {

        /** A Persian name, whose parts are joined by U+200C. */
        @Bean
        CallerResolver joinedName() {
            return () -> "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627";
        }
    }

    /** As of a TaskDecorator of the application, so that the task outlives the request. */
    @RestController
    static class LaterWork {

        private final CountDownLatch mayBegin = new CountDownLatch(1);

        private final CompletableFuture<Orders.Confirmation> placed = new CompletableFuture<>();

        private final Orders.Service orders;

        LaterWork(Orders.Service orders) {
            this.orders = orders;
        }

        @PostMapping("/later")
        void later() {
            RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
            placed.completeAsync(() -> {
                RequestContextHolder.setRequestAttributes(attributes);
                try {
                    mayBegin.await();
                    return orders.place("later", new Orders.Order("tea", 1));
                } catch (InterruptedException stopped) {
                    throw new AssertionError(stopped);
                } finally {
                    RequestContextHolder.resetRequestAttributes();
                }
            });
        }
    }

    /** An adapter for other handlers, as Spring Data REST has one. */
    @Configuration(proxyBeanMethods = false)
    static class OtherAdapter {

        @Bean
        RequestMappingHandlerAdapter otherHandlerAdapter() {
            return new RequestMappingHandlerAdapter() {
                @Override
                protected boolean supportsInternal(HandlerMethod handler) {
                    return false;
                }
            };
        }
    }
}
