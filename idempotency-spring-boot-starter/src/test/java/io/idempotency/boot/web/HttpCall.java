package io.idempotency.boot.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** One request, which can be sent several times. */
final class HttpCall {

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
    HttpCall key(String field) {
        return header("Idempotency-Key", field);
    }

    HttpCall header(String name, String value) {
        request.header(name, value);
        return this;
    }

    HttpCall json(String json) {
        body = json;
        return header("Content-Type", "application/json");
    }

    Answer send() throws IOException, InterruptedException {
        return Answer.of(CLIENT.send(
                request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofByteArray()));
    }
}
