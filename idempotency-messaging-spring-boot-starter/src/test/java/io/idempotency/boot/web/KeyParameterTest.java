package io.idempotency.boot.web;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.HttpCall;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Keys from the header to a parameter, and to nobody where they must not count. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeyParameterTest {

    private static final String QUIET = "logging.level.org.springframework=off";

    private final TestDatabase database;

    @AutoClose
    private final HttpApplication application;

    KeyParameterTest(TestDatabase database) {
        this.database = database;
        Orders.createTable(database);
        application = HttpApplication.start(database, List.of(Orders.class, ImplementsAnApi.class, Interceptors.class));
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
    }

    @Test
    void stringsAndKeysAreTheSameKey() throws Exception {
        application.post("/orders").key("\"a\\\\b\"").json(Orders.TEA).send();
        application.post("/impatient-orders").key("\"a\\\\b\"").json(Orders.TEA).send();

        assertThat(application
                        .jdbc()
                        .queryForList("select idempotency_key from idempotency.idempotency_request", String.class))
                .containsExactly("a\\b", "a\\b");
    }

    @Test
    void theParameterMayBeDeclaredByAnInterface() throws Exception {
        assertThat(application.post("/api").key("\"key\"").send().body()).isEqualTo("key");
        assertThat(application.post("/api").send().problem()).isEqualTo("missing-key");
    }

    @Test
    void aKeyThatIsNotRequiredIsNullAndTheServiceDecides() throws Exception {
        HttpCall withoutKey = application.post("/optional-orders").json(Orders.TEA);
        assertThat(withoutKey.send().status()).isEqualTo(200);
        assertThat(withoutKey.send().isReplayed()).isFalse();
        assertThat(Orders.count(application)).isEqualTo(2);

        HttpCall withKey = application.post("/optional-orders").key("key").json(Orders.TEA);
        withKey.send();
        assertThat(withKey.send().isReplayed()).isTrue();
        assertThat(Orders.count(application)).isEqualTo(3);
        assertThat(application
                        .post("/optional-orders")
                        .key("\"")
                        .json(Orders.TEA)
                        .send()
                        .problem())
                .isEqualTo("invalid-key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS"})
    void safeMethodsIgnoreTheHeaderHoweverItLooks(String method) throws Exception {
        for (HttpCall call : List.of(
                application.call(method, "/any-method"),
                application.call(method, "/any-method").key("\"not closed"),
                application.call(method, "/any-method").key("one").key("two"),
                application.call(method, "/any-method").key("\"key\""))) {
            Answer answer = call.send();

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(method.equals("HEAD") ? "" : "key null");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void allOtherMethodsNeedAKey(String method) throws Exception {
        assertThat(application.call(method, "/any-method").send().problem()).isEqualTo("missing-key");
        assertThat(application.call(method, "/any-method").key("\"").send().problem())
                .isEqualTo("invalid-key");
        assertThat(application.call(method, "/any-method").key("abc").send().body())
                .isEqualTo("key abc");
    }

    @Test
    void whereNoParameterTakesTheKeyTheHeaderIsIgnored() throws Exception {
        Answer answer = application.post("/unrelated").key("\"not closed").send();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("no key is taken here");
    }

    @Test
    void interceptorsOfTheApplicationDoNotRunForRefusedKeys() throws Exception {
        AtomicInteger intercepted = application.bean(Interceptors.class).intercepted;
        int before = intercepted.get();

        application.post("/orders").json(Orders.TEA).send();
        application.post("/orders").key("\"").json(Orders.TEA).send();
        assertThat(intercepted).hasValue(before);

        application.post("/orders").key("key").json(Orders.TEA).send();
        assertThat(intercepted).hasValue(before + 1);
    }

    @Test
    void theSettingsChangeWhatIsAccepted() throws Exception {
        try (HttpApplication strict = HttpApplication.start(
                database,
                List.of(Orders.class),
                "idempotency.http.strict=true",
                "idempotency.http.header-name=X-Request-Name",
                "idempotency.http.problem-type-base=https://errors.example.com/",
                "idempotency.http.documentation-url=https://docs.example.com/names")) {
            Answer missing =
                    strict.post("/orders").key("\"key\"").json(Orders.TEA).send();

            assertThat(missing.status()).isEqualTo(400);
            assertThat(missing.text("$.type")).isEqualTo("https://errors.example.com/missing-key");
            assertThat(missing.text("$.title")).isEqualTo("X-Request-Name is missing");
            assertThat(missing.text("$.detail")).contains("X-Request-Name").doesNotContain("Idempotency-Key");
            assertThat(missing.header("Link")).isEqualTo("<https://docs.example.com/names>; rel=\"describedby\"");

            HttpCall order = strict.post("/orders").json(Orders.TEA);
            assertThat(order.header("X-Request-Name", "\"key\"").send().status())
                    .isEqualTo(201);
            Answer bare = strict.post("/orders")
                    .json(Orders.TEA)
                    .header("X-Request-Name", "key")
                    .send();
            assertThat(bare.status()).isEqualTo(400);
            assertThat(bare.text("$.detail")).isEqualTo("The header X-Request-Name must be a string in double quotes.");
        }
    }

    static Stream<Arguments> parametersThatCannotWork() {
        String optional = "has @IdempotencyKeyHeader(required = false), but is itself an idempotent method";
        String required = "Remove required = false";
        return Stream.of(
                arguments(
                        TakesANumber.class,
                        "has @IdempotencyKeyHeader and the type java.lang.Long.",
                        "Declare it as a String"),
                arguments(TakesTwo.class, "has 2 parameters with @IdempotencyKeyHeader", "from all of them but one."),
                arguments(
                        KeyOfSafeMethods.class, "handles only requests of the method GET, which have no key", "Map a"),
                arguments(OptionalKey.class, optional, required),
                arguments(OptionalKeyOfAnApi.class, optional, required),
                arguments(OptionalMessageId.class, optional, required));
    }

    @ParameterizedTest
    @MethodSource("parametersThatCannotWork")
    void aParameterThatCannotWorkIsReportedAtStartUp(Class<?> controller, String problem, String action) {
        StartupReport report = StartupReport.of(() -> HttpApplication.start(database, List.of(controller), QUIET));

        assertThat(report.description()).contains(controller.getSimpleName() + "#take", problem);
        assertThat(report.action()).contains(action);
    }

    interface Api {

        @PostMapping("/api")
        String call(@IdempotencyKeyHeader IdempotencyKey key);
    }

    @RestController
    static class ImplementsAnApi implements Api {

        @Override
        public String call(IdempotencyKey key) {
            return key.value();
        }
    }

    @RestController
    static class TakesANumber {

        @PostMapping("/")
        void take(String name, @IdempotencyKeyHeader Long key) {}
    }

    @RestController
    static class TakesTwo {

        @PostMapping("/")
        void take(@IdempotencyKeyHeader String key, @IdempotencyKeyHeader IdempotencyKey again) {}
    }

    @RestController
    static class KeyOfSafeMethods {

        @GetMapping("/")
        @Idempotent(scope = "safe", key = "#key")
        public void take(@IdempotencyKeyHeader String key) {}
    }

    @RestController
    static class OptionalKey {

        @PostMapping("/")
        @Idempotent(scope = "optional", key = "#key")
        public void take(@IdempotencyKeyHeader(required = false) @Nullable String key) {}
    }

    interface OptionalApi {

        @PostMapping("/")
        @Idempotent(scope = "optional-api", key = "#p0")
        void take(@IdempotencyKeyHeader(required = false) @Nullable IdempotencyKey key);
    }

    @RestController
    static class OptionalKeyOfAnApi implements OptionalApi {

        @Override
        public void take(@Nullable IdempotencyKey key) {}
    }

    @RestController
    static class OptionalMessageId {

        @PostMapping("/")
        @IdempotentReceiver(consumer = "optional", messageId = "#key")
        public void take(@IdempotencyKeyHeader(required = false) @Nullable String key) {}
    }

    static class Interceptors implements WebMvcConfigurer {

        final AtomicInteger intercepted = new AtomicInteger();

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(new HandlerInterceptor() {
                @Override
                public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                    intercepted.incrementAndGet();
                    return true;
                }
            });
        }
    }
}
