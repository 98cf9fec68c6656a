package io.idempotency.boot.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

import io.idempotency.boot.testing.ScriptedServer;
import io.idempotency.boot.testing.ScriptedServer.Request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.atIndex;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** Which requests are sent again, with which key, when, and how often. */
class IdempotencyKeyInterceptorTest {

    private static final int MAX_ATTEMPTS = 4;

    private static final Duration MAX_DURATION = Duration.ofSeconds(30);

    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    /** Only for an answer that never comes. */
    private static final Duration SHORT_READ_TIMEOUT = Duration.ofMillis(500);

    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    private final RecordedPauses pauses = new RecordedPauses();

    private final RestClient client = client(
            jdkClient(READ_TIMEOUT), new IdempotencyKeyInterceptor("provider", MAX_ATTEMPTS, MAX_DURATION, pauses));

    IdempotencyKeyInterceptorTest() throws IOException {}

    static Stream<Arguments> losses() {
        return Stream.<Function<Duration, ClientHttpRequestFactory>>of(
                        IdempotencyKeyInterceptorTest::jdkClient, IdempotencyKeyInterceptorTest::urlConnection)
                .flatMap(client -> {
                    ClientHttpRequestFactory patient = client.apply(READ_TIMEOUT);
                    String name = patient.getClass().getSimpleName();
                    UnaryOperator<ScriptedServer> nothing = ScriptedServer::thenNothing;
                    UnaryOperator<ScriptedServer> half = ScriptedServer::thenHalfAnAnswer;
                    UnaryOperator<ScriptedServer> silence = ScriptedServer::thenSilence;
                    return Stream.of(
                            argumentSet("closed connection to " + name, patient, nothing),
                            argumentSet("half an answer to " + name, patient, half),
                            argumentSet("silence to " + name, impatientTwice(client), silence));
                });
    }

    /** The third answer comes, however late. */
    private static ClientHttpRequestFactory impatientTwice(Function<Duration, ClientHttpRequestFactory> client) {
        ClientHttpRequestFactory impatient = client.apply(SHORT_READ_TIMEOUT);
        ClientHttpRequestFactory patient = client.apply(READ_TIMEOUT);
        AtomicInteger requests = new AtomicInteger();
        return (uri, method) -> (requests.incrementAndGet() <= 2 ? impatient : patient).createRequest(uri, method);
    }

    /** The server has done what the request asked for before the answer is lost. */
    @ParameterizedTest
    @MethodSource("losses")
    void aLostAnswerIsAskedForAgainWithTheSameKeyAndBody(
            ClientHttpRequestFactory factory, UnaryOperator<ScriptedServer> nextLost) {
        nextLost.apply(nextLost.apply(server)).thenStatus(201, "paid");
        RestTemplate template = new RestTemplate(factory);
        template.getInterceptors().add(new IdempotencyKeyInterceptor("provider", MAX_ATTEMPTS, MAX_DURATION, pauses));
        byte[] body = new byte[256];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", "\"key-1\"");

        ResponseEntity<String> paid = template.exchange(
                server.url() + "/payments", HttpMethod.POST, new HttpEntity<>(body, headers), String.class);

        assertThat(paid.getStatusCode().value()).isEqualTo(201);
        assertThat(paid.getBody()).isEqualTo("paid");
        assertThat(server.requests()).hasSize(3);
        assertThat(server.requests()).containsOnly(server.requests().get(0));
        Request request = server.requests().get(0);
        assertThat(request.operation()).isEqualTo("POST /payments");
        assertThat(request.keys()).containsExactly("\"key-1\"");
        assertThat(request.body()).hasSize(256).startsWith((byte) 0, (byte) 1).endsWith((byte) -2, (byte) -1);
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 425, 429, 502, 503, 504})
    void aStatusThatLeavesTheResultOpenIsRepeated(int status) {
        server.thenStatus(status, "later")
                .thenStatus(status, "", "Retry-After", "soon")
                .thenStatus(201, "paid");

        assertThat(pay().getBody()).isEqualTo("paid");
        assertThat(server.keys()).containsExactly("key-1", "key-1", "key-1");
        assertThat(pauses.all())
                .hasSize(2)
                .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofMillis(100), Duration.ofSeconds(1)));
    }

    @Test
    void pausesGrowUpToFiveSeconds() {
        for (int attempt = 1; attempt < 10; attempt++) {
            server.thenStatus(503, "");
        }

        pay(client(
                jdkClient(READ_TIMEOUT), new IdempotencyKeyInterceptor("provider", 10, Duration.ofMinutes(1), pauses)));

        assertThat(pauses.all()).hasSize(9);
        assertThat(pauses.all().get(0)).isLessThan(Duration.ofMillis(400));
        assertThat(pauses.all().get(8)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 303, 400, 401, 402, 403, 404, 410, 412, 422, 499, 500, 501, 505, 520})
    void anyOtherAnswerIsFinal(int status) {
        server.thenStatus(status, "as it is", "Retry-After", "0", "Mark", "kept");

        ResponseEntity<String> answer = pay();

        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getHeaders().getFirst("Mark")).isEqualTo("kept");
        assertThat(answer.getBody()).isEqualTo("as it is");
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void theServerSaysWhen() {
        server.thenStatus(409, "", "Retry-After", "0")
                .thenStatus(503, "", "Retry-After", "7")
                .then(exchange -> {
                    exchange.getResponseHeaders().set("Retry-After", inTenSeconds());
                    exchange.sendResponseHeaders(409, -1);
                });

        assertThat(pay().getStatusCode().value()).isEqualTo(201);
        assertThat(pauses.all()).hasSize(3).contains(Duration.ofSeconds(7), atIndex(1));
        assertThat(pauses.all().get(0))
                .as("with a pause, although the server asks for none")
                .isBetween(Duration.ofMillis(100), Duration.ofSeconds(1));
        assertThat(pauses.all().get(2)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
    }

    private static String inTenSeconds() {
        HttpHeaders headers = new HttpHeaders();
        headers.setInstant("Retry-After", Instant.now().plusSeconds(10));
        return headers.getFirst("Retry-After");
    }

    /** The JDK gives its length, but not its body, if the request was streamed. */
    @Test
    void anErrorWithoutItsBodyIsAnAnswer() {
        server.thenStatus(401, "who are you?");
        RestTemplate streaming = new RestTemplate(urlConnection(READ_TIMEOUT));
        streaming.getInterceptors().add(new IdempotencyKeyInterceptor("provider", MAX_ATTEMPTS, MAX_DURATION, pauses));

        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", "key-1");

        assertThatThrownBy(() -> streaming.postForEntity(
                        server.url() + "/payments", new HttpEntity<>("5 EUR", headers), String.class))
                .isInstanceOf(HttpClientErrorException.Unauthorized.class);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void attemptsAreBounded() {
        for (int attempt = 1; attempt <= MAX_ATTEMPTS + 1; attempt++) {
            server.thenStatus(409, "answer " + attempt);
        }

        assertThat(pay().getBody()).isEqualTo("answer " + MAX_ATTEMPTS);
        assertThat(server.requests()).hasSize(MAX_ATTEMPTS);
        assertThat(pauses.all()).hasSize(MAX_ATTEMPTS - 1);
    }

    @Test
    void aPauseThatWouldEndTooLateIsNotBegun() {
        server.thenStatus(409, "", "Retry-After", "20").thenStatus(409, "answer 2", "Retry-After", "11");

        assertThat(pay().getBody()).isEqualTo("answer 2");
        assertThat(pauses.all()).containsExactly(Duration.ofSeconds(20));
    }

    @Test
    void theTimeOfAttemptsCounts() {
        server.thenStatus(409, "", "Retry-After", "20").then(exchange -> {
            pauses.pass(Duration.ofSeconds(9));
            exchange.getResponseHeaders().set("Retry-After", "2");
            exchange.sendResponseHeaders(409, -1);
        });

        assertThat(pay().getStatusCode().value()).isEqualTo(409);
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void theLastFailureIsTheCallers() throws IOException {
        int closedPort;
        try (ServerSocket socket = new ServerSocket(0)) {
            closedPort = socket.getLocalPort();
        }

        assertThatThrownBy(() -> client.post()
                        .uri("http://127.0.0.1:" + closedPort)
                        .header("Idempotency-Key", "key-1")
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(ResourceAccessException.class)
                .hasCauseInstanceOf(ConnectException.class);
        assertThat(pauses.all()).hasSize(MAX_ATTEMPTS - 1);
    }

    @Test
    void anInterruptEndsThePauseAndLeavesTheAnswer() {
        server.thenStatus(409, "running");
        RestClient interrupted = client(
                jdkClient(READ_TIMEOUT),
                new IdempotencyKeyInterceptor("provider", MAX_ATTEMPTS, MAX_DURATION, new Timer() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public void pause(Duration pause) throws InterruptedException {
                        Thread.currentThread().interrupt();
                        Timer.SYSTEM.pause(pause);
                    }
                }));

        ResponseEntity<String> answer = pay(interrupted);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(answer.getBody()).isEqualTo("running");
        assertThat(server.requests()).hasSize(1);
    }

    /** A connection that is not interruptible, so that the answer is lost for another reason. */
    @ParameterizedTest
    @ValueSource(ints = {0, 409})
    void anInterruptDuringAnAttemptIsTheLastOne(int status) {
        Thread caller = Thread.currentThread();
        server.then(exchange -> {
            caller.interrupt();
            if (status > 0) {
                exchange.getResponseHeaders().set("Retry-After", "0");
                exchange.sendResponseHeaders(status, -1);
            } else {
                exchange.sendResponseHeaders(201, 10);
            }
        });
        RestClient real = client(urlConnection(READ_TIMEOUT), new IdempotencyKeyInterceptor("provider"));

        try {
            assertThat(pay(real).getStatusCode().value()).isEqualTo(status);
        } catch (ResourceAccessException lost) {
            assertThat(status).isZero();
        }

        assertThat(Thread.interrupted()).isTrue();
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void theConnectionOfEveryAnswerIsFreeBeforeThePause() {
        server.thenStatus(409, "running").thenStatus(503, "down").thenStatus(201, "paid");
        AtomicInteger open = new AtomicInteger();
        AtomicInteger openInPauses = new AtomicInteger();
        IdempotencyKeyInterceptor interceptor =
                new IdempotencyKeyInterceptor("provider", MAX_ATTEMPTS, MAX_DURATION, new Timer() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public void pause(Duration pause) {
                        openInPauses.addAndGet(open.get());
                    }
                });
        RestClient counted = RestClient.builder()
                .requestFactory(jdkClient(READ_TIMEOUT))
                .requestInterceptor(interceptor)
                .requestInterceptor((request, body, execution) -> counted(execution.execute(request, body), open))
                .build();

        assertThat(pay(counted).getBody()).isEqualTo("paid");
        assertThat(server.requests()).hasSize(3);
        assertThat(openInPauses).hasValue(0);
        assertThat(open).hasValue(0);
    }

    /** Counted until it is closed. */
    private static ClientHttpResponse counted(ClientHttpResponse response, AtomicInteger open) {
        open.incrementAndGet();
        ClientHttpResponse counted = Mockito.mock(ClientHttpResponse.class, AdditionalAnswers.delegatesTo(response));
        Mockito.doAnswer(close -> {
                    open.decrementAndGet();
                    response.close();
                    return null;
                })
                .when(counted)
                .close();
        return counted;
    }

    @Test
    void headersOfLaterInterceptorsDoNotAddUp() {
        server.thenStatus(409, "").thenStatus(409, "");
        RestClient marked = client.mutate()
                .requestInterceptor((request, body, execution) -> {
                    request.getHeaders().add("Mark", "once");
                    return execution.execute(request, body);
                })
                .build();

        pay(marked);

        assertThat(server.requests())
                .hasSize(3)
                .allSatisfy(request -> assertThat(request.marks()).containsExactly("once"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void aRequestWithoutAKeyIsRefused(String method) {
        assertThatIllegalStateException()
                .isThrownBy(() -> client.method(HttpMethod.valueOf(method))
                        .uri(server.url() + "/payments?secret=1")
                        .header("Idempotency-Key", " ")
                        .retrieve()
                        .toBodilessEntity())
                .withMessageContaining(method + " /payments has no Idempotency-Key");

        assertThat(server.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "TRACE"})
    void safeMethodsPassAsTheyAre(String method) {
        server.thenStatus(503, "");

        HttpStatusCode status = client.method(HttpMethod.valueOf(method))
                .uri(server.url())
                .exchange((request, response) -> response.getStatusCode());

        assertThat(status.value()).isEqualTo(503);
        assertThat(server.requests()).hasSize(1);
        assertThat(server.keys()).isEmpty();
    }

    @Test
    void limitsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyKeyInterceptor(" "));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new IdempotencyKeyInterceptor("provider", 0, MAX_DURATION));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new IdempotencyKeyInterceptor("provider", 1, Duration.ZERO));
    }

    private ResponseEntity<String> pay() {
        return pay(client);
    }

    private ResponseEntity<String> pay(RestClient payer) {
        return payer.post()
                .uri(server.url() + "/payments")
                .header("Idempotency-Key", "key-1")
                .body("250 EUR")
                .exchange((request, response) -> ResponseEntity.status(response.getStatusCode())
                        .headers(response.getHeaders())
                        .body(new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8)));
    }

    private static RestClient client(ClientHttpRequestFactory factory, ClientHttpRequestInterceptor interceptor) {
        return RestClient.builder()
                .requestFactory(factory)
                .requestInterceptor(interceptor)
                .build();
    }

    private static ClientHttpRequestFactory jdkClient(Duration readTimeout) {
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
        factory.setReadTimeout(readTimeout);
        return factory;
    }

    private static ClientHttpRequestFactory urlConnection(Duration readTimeout) {
        SimpleClientHttpRequestFactory factory = new SimpleClientHttpRequestFactory();
        factory.setReadTimeout(readTimeout);
        return factory;
    }
}
