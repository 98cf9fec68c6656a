package io.idempotency.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A client of the wallet, which never repeats a request by itself. */
record WalletClient(HttpClient http, String url) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    static WalletClient of(String url) {
        return new WalletClient(
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), url);
    }

    /** A key of {@code null} sends no header. */
    Answer pay(String key, String body) throws IOException, InterruptedException {
        return post("/payments", key, body);
    }

    /** A key of {@code null} sends no header. */
    Answer post(String path, String key, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        return send(request);
    }

    /** The key is the name of the account. */
    Answer open(String accountId, long cents) throws IOException, InterruptedException {
        return post("/accounts", accountId, "{\"accountId\":\"" + accountId + "\",\"amountCents\":" + cents + "}");
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(TIMEOUT);
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return Answer.of(http.send(request.build(), BodyHandlers.ofString()));
    }
}
