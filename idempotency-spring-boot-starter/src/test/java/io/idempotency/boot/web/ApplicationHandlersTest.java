package io.idempotency.boot.web;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;

import io.idempotency.IdempotencyException;
import io.idempotency.KeyReusedException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Problems beside an application's own answers to exceptions. */
@PostgresTest
@Tag("full")
class ApplicationHandlersTest {

    private final TestDatabase database;

    private HttpApplication application;

    ApplicationHandlersTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void stop() {
        application.close();
        database.jdbc().execute("drop table customer_order; drop schema idempotency cascade");
    }

    @Test
    void aHandlerThatNamesOneExceptionAnswersThatOneOnly() throws Exception {
        start(NamesOne.class);
        order("key", Orders.TEA);

        assertThat(order("key", Orders.COFFEE).body()).isEqualTo("named: KeyReusedException");
        assertThat(order("\"", Orders.TEA).problem()).isEqualTo("invalid-key");
        assertThat(order("other", "{\"item\":\"nothing\",\"quantity\":1}").body())
                .isEqualTo("any: OutOfStockException");
    }

    @Test
    void aHandlerThatNamesTheBaseClassAnswersAll() throws Exception {
        start(NamesAll.class);
        order("key", Orders.TEA);

        assertThat(order("key", Orders.COFFEE).body()).isEqualTo("base: KeyReusedException");
        assertThat(order("\"", Orders.TEA).body()).isEqualTo("base: InvalidIdempotencyKeyException");
    }

    @Test
    void aHandlerForOtherControllersDoesNotCount() throws Exception {
        start(ForOtherControllers.class, WithHandlers.class);

        assertThat(order("\"", Orders.TEA).problem()).isEqualTo("invalid-key");
    }

    @Test
    void aHandlerOfAnyExceptionThatComesFirstTakesNothingFromUs() throws Exception {
        start(NamesAll.class, WithHandlers.class);

        assertThat(order("\"", Orders.TEA).body()).isEqualTo("base: InvalidIdempotencyKeyException");
        assertThat(application.post("/with-handlers").key("\"").send().problem())
                .isEqualTo("invalid-key");
    }

    @Test
    void handlersOfAControllerAnswerWhatTheyName() throws Exception {
        start(WithHandlers.class);

        assertThat(application.post("/with-handlers").send().body())
                .isEqualTo("controller: MissingIdempotencyKeyException");
        assertThat(application.post("/with-handlers").key("\"").send().problem())
                .isEqualTo("invalid-key");
        assertThat(application.post("/with-handlers").key("key").send().body())
                .isEqualTo("controller, any: IllegalStateException");
        assertThat(application.post("/orders").json(Orders.TEA).send().problem())
                .isEqualTo("missing-key");
    }

    @Test
    void anExceptionThatIsTheCauseOfOursDoesNotNameIt() throws Exception {
        start(NamesCauses.class);
        order("key", Orders.TEA);
        application.alterRequests("response_body = '[]'");

        assertThat(order("key", Orders.TEA).problem()).isEqualTo("unreadable-response");
    }

    @Test
    void aHandlerThatFailsIsReplacedByOurAnswer() throws Exception {
        start(Fails.class);

        assertThat(order("\"", Orders.TEA).problem()).isEqualTo("invalid-key");
    }

    @Test
    void theApplicationsAnswersToSpringsExceptionsStayItsOwn() throws Exception {
        start(OfSpringsExceptions.class);

        assertThat(order("key", "not JSON").body()).isEqualTo("own: HttpMessageNotReadableException");
        assertThat(order("\"", "not JSON").problem()).isEqualTo("invalid-key");
        assertThat(application.requests()).isZero();
    }

    @Test
    void springsOwnProblemDetailsStayBesideOurs() throws Exception {
        application = start(List.of(), "spring.mvc.problemdetails.enabled=true");

        Answer ofSpring = order("key", "not JSON");

        assertThat(ofSpring.status()).isEqualTo(400);
        assertThat(ofSpring.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(ofSpring.body()).doesNotContain("idempotency");
        assertThat(order("\"", "not JSON").problem()).isEqualTo("invalid-key");
    }

    @Test
    void switchedOffTheApplicationAnswersEverything() throws Exception {
        application = start(List.of(NamesOne.class), "idempotency.http.problem-details=false");
        order("key", Orders.TEA);

        assertThat(order("key", Orders.COFFEE).body()).isEqualTo("named: KeyReusedException");
        assertThat(order("\"", Orders.TEA).body()).isEqualTo("any: InvalidIdempotencyKeyException");
        assertThat(order("key", Orders.TEA).isReplayed()).isTrue();
    }

    @Test
    void functionalEndpointsGetProblemsToo() throws Exception {
        start(Routes.class, NamesOne.class);

        assertThat(application.post("/routed").json(Orders.TEA).send().problem())
                .isEqualTo("missing-key");
        Answer first = application.post("/routed").key("key").json(Orders.TEA).send();
        Answer replay = application.post("/routed").key("key").json(Orders.TEA).send();
        assertThat(first.status()).isEqualTo(200);
        assertThat(replay.body()).isEqualTo(first.body());
        assertThat(application
                        .post("/routed")
                        .key("key")
                        .json(Orders.COFFEE)
                        .send()
                        .body())
                .isEqualTo("named: KeyReusedException");
    }

    @Test
    void aRefusalOfACallThatTheHandlerWaitsForIsNoInternalError() throws Exception {
        start(Waits.class, NamesOne.class);

        for (String path : List.of("/joined", "/got")) {
            String key = "key of " + path.substring(1);
            application.post(path).key('"' + key + '"').json(Orders.TEA).send();

            assertThat(application
                            .post(path)
                            .key('"' + key + '"')
                            .json(Orders.COFFEE)
                            .send()
                            .body())
                    .isEqualTo("named: KeyReusedException");
            assertThat(application.post(path).json(Orders.TEA).send().problem()).isEqualTo("missing-key");
        }
    }

    private void start(Class<?>... handlers) {
        application = start(List.of(handlers));
    }

    private HttpApplication start(List<Class<?>> handlers, String... properties) {
        Orders.createTable(database);
        List<Class<?>> beans = new ArrayList<>(handlers);
        beans.add(Orders.class);
        String[] all = Arrays.copyOf(properties, properties.length + 2);
        all[properties.length] = "logging.level.io.idempotency.boot.web=off";
        all[properties.length + 1] =
                "logging.level.org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver=off";
        return HttpApplication.start(database, beans, all);
    }

    private Answer order(String key, String body) throws Exception {
        return application.post("/orders").key(key).json(body).send();
    }

    private static ResponseEntity<String> answer(String by, Exception exception) {
        return ResponseEntity.status(418).body(by + ": " + exception.getClass().getSimpleName());
    }

    @RestControllerAdvice
    static class NamesOne {

        @ExceptionHandler
        ResponseEntity<String> reused(KeyReusedException exception) {
            return answer("named", exception);
        }

        @ExceptionHandler
        ResponseEntity<String> any(Exception exception) {
            return answer("any", exception);
        }
    }

    @RestControllerAdvice
    static class NamesAll {

        @ExceptionHandler
        ResponseEntity<String> base(IdempotencyException exception) {
            return answer("base", exception);
        }
    }

    @RestControllerAdvice(assignableTypes = WithHandlers.class)
    static class ForOtherControllers extends NamesAll {}

    @RestControllerAdvice
    static class NamesCauses {

        @ExceptionHandler
        ResponseEntity<String> unreadable(JacksonException exception) {
            return answer("cause", exception);
        }
    }

    @RestControllerAdvice
    static class Fails {

        @ExceptionHandler
        ResponseEntity<String> base(IdempotencyException exception) {
            throw new IllegalStateException("no answer to this", exception);
        }
    }

    @RestControllerAdvice
    static class OfSpringsExceptions extends ResponseEntityExceptionHandler {

        @Override
        protected ResponseEntity<Object> handleExceptionInternal(
                Exception exception,
                @Nullable Object body,
                HttpHeaders headers,
                HttpStatusCode status,
                WebRequest request) {
            return ResponseEntity.status(status)
                    .body("own: " + exception.getClass().getSimpleName());
        }
    }

    @RestController
    static class WithHandlers {

        @PostMapping("/with-handlers")
        String fail(@IdempotencyKeyHeader String key) {
            throw new IllegalStateException(key);
        }

        @ExceptionHandler
        ResponseEntity<String> missing(MissingIdempotencyKeyException exception) {
            return answer("controller", exception);
        }

        @ExceptionHandler
        ResponseEntity<String> any(Exception exception) {
            return answer("controller, any", exception);
        }
    }

    @RestController
    record Waits(Orders.Service orders) {

        @PostMapping("/joined")
        Orders.Confirmation join(
                @IdempotencyKeyHeader(required = false) @Nullable String key, @RequestBody Orders.Order order) {
            return CompletableFuture.supplyAsync(() -> orders.place(key, order)).join();
        }

        @PostMapping("/got")
        Orders.Confirmation get(
                @IdempotencyKeyHeader(required = false) @Nullable String key, @RequestBody Orders.Order order)
                throws Exception {
            return CompletableFuture.supplyAsync(() -> orders.place(key, order)).get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Routes {

        @Bean
        RouterFunction<ServerResponse> routed(Orders.Service orders) {
            return RouterFunctions.route()
                    .POST(
                            "/routed",
                            request -> ServerResponse.ok()
                                    .body(orders.place(
                                            request.headers().firstHeader("Idempotency-Key"),
                                            request.body(Orders.Order.class))))
                    .build();
        }
    }
}
