package io.idempotency.sample.provider;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The pretend provider: {@code POST /transfers} with an {@code Idempotency-Key}. It does what it is asked for before it
 * loses its answer, which is the case that its clients have to be right in.
 */
@Component
@EnableConfigurationProperties(ProviderProperties.class)
public class ProviderServer implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(ProviderServer.class);

    /** Fewer than the pool has connections. */
    private static final int THREADS = 4;

    private static final int MAX_BODY_LENGTH = 10_000;

    private static final JsonMapper JSON = new JsonMapper();

    private final Transfers transfers;

    private final double lostAnswers;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    private final HttpServer server;

    ProviderServer(Transfers transfers, ProviderProperties properties) throws IOException {
        this.transfers = transfers;
        this.lostAnswers = properties.lostAnswers();
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), properties.port()), 0);
        server.setExecutor(threads);
        server.createContext("/transfers", this::handle);
        server.start();
    }

    /** Where it listens, for as long as the application runs. */
    public URI url() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            ProviderAnswer answer = answerOrApology(exchange);
            if (ThreadLocalRandom.current().nextDouble() >= lostAnswers) {
                send(exchange, answer);
            }
        }
    }

    /** The JDK's server would neither answer nor tell why. */
    private ProviderAnswer answerOrApology(HttpExchange exchange) throws IOException {
        try {
            return answer(exchange);
        } catch (RuntimeException e) {
            logger.warn("The pretend provider has failed", e);
            return ProviderAnswer.of(503, "Try again.");
        }
    }

    private ProviderAnswer answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_LENGTH);
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        if (!exchange.getRequestMethod().equals("POST")) {
            return ProviderAnswer.of(405, "Only POST is known here.");
        }
        if (key == null || key.isBlank()) {
            return ProviderAnswer.of(400, "The Idempotency-Key is missing.");
        }
        try {
            return transfers.decide(key, JSON.readValue(body, TransferOrder.class));
        } catch (JacksonException e) {
            return ProviderAnswer.of(400, "The request is not a transfer.");
        }
    }

    private static void send(HttpExchange exchange, ProviderAnswer answer) throws IOException {
        byte[] body = JSON.writeValueAsBytes(answer.body());
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
