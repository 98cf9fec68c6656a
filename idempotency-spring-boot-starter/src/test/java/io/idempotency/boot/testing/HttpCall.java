package io.idempotency.boot.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.springframework.http.HttpHeaders;

/** One request, which can be sent several times. */
public final class HttpCall {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final HttpRequest.Builder request;

    private final String method;

    private String body = "";

    HttpCall(String url, String method, String path) {
        this.method = method;
        this.request = HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(30));
    }

    /** As the header says it, quotes included. */
    public HttpCall key(String field) {
        return header("Idempotency-Key", field);
    }

    /** By a user whose password is {@code password}. */
    public HttpCall as(String user) {
        return header(
                "Authorization", "Basic " + HttpHeaders.encodeBasicAuth(user, "password", StandardCharsets.US_ASCII));
    }

    public HttpCall header(String name, String value) {
        request.header(name, value);
        return this;
    }

    public HttpCall json(String json) {
        body = json;
        return header("Content-Type", "application/json");
    }

    public Answer send() {
        try {
            return Answer.of(CLIENT.send(
                    request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofByteArray()));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }
}
