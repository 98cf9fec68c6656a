package io.idempotency.sample.cluster;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Function;

/** Sends requests to instances, whether they are there or not. */
final class InstanceClient {

    /** For a connection, and for most answers. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    /** What an instance answers to the request that is made of its URL. */
    Answer ask(SampleInstance instance, Function<String, HttpRequest> request) throws InterruptedException {
        instance.openRequests().incrementAndGet();
        try {
            return SampleApi.answer(exchange(instance, request));
        } catch (IOException timeoutOrLostConnection) {
            return new Answer(Outcome.unknown(timeoutOrLostConnection.toString()), false);
        } finally {
            instance.openRequests().decrementAndGet();
        }
    }

    HttpResponse<String> exchange(SampleInstance instance, Function<String, HttpRequest> request)
            throws IOException, InterruptedException {
        return http.send(request.apply(instance.url()), BodyHandlers.ofString());
    }
}
