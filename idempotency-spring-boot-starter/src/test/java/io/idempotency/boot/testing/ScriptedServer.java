package io.idempotency.boot.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** An HTTP server that records every request to its end before it answers, or does not, as its test says. */
public final class ScriptedServer implements AutoCloseable {

    private static final String KEY = "Idempotency-Key";

    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    private final Queue<Answer> script = new ConcurrentLinkedQueue<>();

    private final CountDownLatch closed = new CountDownLatch(1);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final HttpServer server;

    /** Answers 201 to everything for which there is no script. */
    public ScriptedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** A request as it arrived, with its headers {@code Idempotency-Key} and {@code Mark}. */
    public record Request(String operation, List<String> keys, List<String> marks, List<Byte> body) {}

    /** The answer to one request. */
    @FunctionalInterface
    public interface Answer {

        void send(HttpExchange exchange) throws IOException;
    }

    public ScriptedServer then(Answer answer) {
        script.add(answer);
        return this;
    }

    public ScriptedServer thenStatus(int status, String body, String... headersAndValues) {
        return then(exchange -> {
            for (int i = 0; i < headersAndValues.length; i += 2) {
                exchange.getResponseHeaders().set(headersAndValues[i], headersAndValues[i + 1]);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        });
    }

    /** The client finds its connection closed. */
    public ScriptedServer thenNothing() {
        return then(exchange -> {});
    }

    /** The client finds its connection closed in the middle of the body. */
    public ScriptedServer thenHalfAnAnswer() {
        return then(exchange -> {
            exchange.sendResponseHeaders(201, 10);
            exchange.getResponseBody().write(new byte[5]);
            exchange.getResponseBody().flush();
        });
    }

    /** The client hears nothing until it gives up. */
    public ScriptedServer thenSilence() {
        return then(exchange -> {
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
    }

    public String url() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public List<String> keys() {
        return requests.stream().flatMap(request -> request.keys().stream()).toList();
    }

    public void reset() {
        requests.clear();
        script.clear();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.add(new Request(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI(),
                    exchange.getRequestHeaders().getOrDefault(KEY, List.of()),
                    exchange.getRequestHeaders().getOrDefault("Mark", List.of()),
                    boxed(body)));
            Answer answer = script.poll();
            if (answer == null) {
                exchange.sendResponseHeaders(201, -1);
            } else {
                answer.send(exchange);
            }
        }
    }

    /** Compared by their values. */
    private static List<Byte> boxed(byte[] bytes) {
        Byte[] boxed = new Byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            boxed[i] = bytes[i];
        }
        return List.of(boxed);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdown();
    }
}
