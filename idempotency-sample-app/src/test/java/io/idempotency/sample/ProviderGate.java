package io.idempotency.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.idempotency.sample.provider.ProviderServer;

import static org.awaitility.Awaitility.await;

/** Stands between the sample and the pretend provider, and loses or holds what goes through. */
final class ProviderGate implements AutoCloseable {

    private final HttpClient http = HttpClient.newHttpClient();

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final CountDownLatch closed = new CountDownLatch(1);

    private final Queue<String> keys = new ConcurrentLinkedQueue<>();

    private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();

    private final AtomicInteger held = new AtomicInteger();

    private final HttpServer server;

    private volatile URI provider;

    private volatile Fault fault = Fault.NONE;

    private volatile Nonsense nonsense;

    private final AtomicInteger faults = new AtomicInteger();

    /** What becomes of a request. */
    enum Fault {
        /** Nothing. */
        NONE,

        /** The provider never sees it, and the connection is closed. */
        REQUEST_LOST,

        /** The provider has answered, and the connection is closed. */
        ANSWER_LOST,

        /** The provider never sees it, and nothing is answered. */
        REQUEST_HELD,

        /** The provider has answered, and nobody hears of it. */
        ANSWER_HELD,

        /** The provider has answered, and all but the last byte arrives. */
        ANSWER_STALLED;

        private boolean isBeforeProvider() {
            return this == REQUEST_LOST || this == REQUEST_HELD;
        }

        private boolean holds() {
            return this == REQUEST_HELD || this == ANSWER_HELD || this == ANSWER_STALLED;
        }
    }

    private record Nonsense(int status, String body) {}

    ProviderGate() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    void leadTo(RunningSample sample) {
        provider = sample.bean(ProviderServer.class).url().resolve("/transfers");
    }

    /** From now on, until the next call. */
    void meetAll(Fault next) {
        meet(next, Integer.MAX_VALUE);
    }

    /** The provider never sees a request, and this is answered in its place. */
    void answerAll(int status, String body) {
        meetAll(Fault.NONE);
        nonsense = new Nonsense(status, body);
    }

    /** So many requests, and after them none. */
    void meet(Fault next, int requests) {
        nonsense = null;
        faults.set(requests);
        fault = next;
        keys.clear();
        statuses.clear();
        held.set(0);
    }

    void awaitHeld() {
        await().until(() -> held.get() > 0);
    }

    /** The keys of all requests since the last change, those that were lost among them. */
    Queue<String> keys() {
        return keys;
    }

    /** What the provider has answered since the last change. */
    Queue<Integer> statuses() {
        return statuses;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            Nonsense said = nonsense;
            if (said != null) {
                send(exchange, said.status(), said.body().getBytes(StandardCharsets.UTF_8));
                return;
            }
            Fault met = faults.getAndDecrement() > 0 ? fault : Fault.NONE;
            if (met.isBeforeProvider()) {
                holdOrLose(met);
                return;
            }
            HttpResponse<byte[]> answer = forward(exchange);
            statuses.add(answer.statusCode());
            if (met == Fault.ANSWER_STALLED) {
                exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
                exchange.getResponseBody().write(answer.body(), 0, answer.body().length - 1);
                exchange.getResponseBody().flush();
            }
            if (met != Fault.NONE) {
                holdOrLose(met);
                return;
            }
            send(exchange, answer.statusCode(), answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    private HttpResponse<byte[]> forward(HttpExchange exchange) throws InterruptedException {
        try {
            return http.send(
                    HttpRequest.newBuilder(provider)
                            .header(
                                    "Idempotency-Key",
                                    exchange.getRequestHeaders().getFirst("Idempotency-Key"))
                            .POST(BodyPublishers.ofByteArray(
                                    exchange.getRequestBody().readAllBytes()))
                            .build(),
                    BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void holdOrLose(Fault met) throws InterruptedException {
        if (met.holds()) {
            held.incrementAndGet();
            closed.await();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
