package io.idempotency.sample.provider;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Calls the provider. What is not answered is sent again, with the same key. */
@Component
public class PaymentProvider {

    private static final int TOO_MANY_REQUESTS = 429;

    private static final int FIRST_SERVER_ERROR = 500;

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;

    private final URI url;

    private final ProviderProperties properties;

    PaymentProvider(ProviderServer server, ProviderProperties properties) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(properties.timeout())
                .build();
        this.url = Objects.requireNonNullElseGet(properties.url(), server::url).resolve("/transfers");
        this.properties = properties;
    }

    /**
     * Sends money to the bank account that belongs to an account of the wallet, once for each key.
     *
     * @param idempotencyKey the same for every attempt at this transfer
     * @return the transfer, the same each time
     * @throws TransferRefusedException if the provider will not
     * @throws ProviderUnavailableException if there was no answer, so that the money may or may not have been sent
     */
    public Transfer transfer(String idempotencyKey, String account, long amountCents) {
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", idempotencyKey)
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(new TransferOrder(account, amountCents))))
                .build();
        return read(sendUntilAnswered(request));
    }

    private HttpResponse<String> sendUntilAnswered(HttpRequest request) {
        Duration pause = properties.pause();
        IOException lost = null;
        for (int attempt = 1; attempt <= properties.attempts(); attempt++) {
            try {
                if (attempt > 1) {
                    Thread.sleep(pause.toMillis());
                    pause = pause.multipliedBy(2);
                }
                HttpResponse<String> response = send(request);
                if (isAnswer(response.statusCode())) {
                    return response;
                }
            } catch (IOException e) {
                lost = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unavailable(e);
            }
        }
        throw unavailable(lost);
    }

    /** The timeout of a request would end with the head of its answer, and wait for the rest for ever. */
    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, BodyHandlers.ofString());
        try {
            return answer.get(properties.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new IOException("There was no whole answer.", e);
        } finally {
            answer.cancel(true);
        }
    }

    private static boolean isAnswer(int status) {
        return status != TOO_MANY_REQUESTS && status < FIRST_SERVER_ERROR;
    }

    private static ProviderUnavailableException unavailable(@Nullable Exception cause) {
        return new ProviderUnavailableException("The payment provider does not answer.", cause);
    }

    /** Only what the provider says to be a refusal is one. Anything else is a mistake, and whether money was sent is open. */
    private static Transfer read(HttpResponse<String> response) {
        return switch (response.statusCode()) {
            case ProviderAnswer.CREATED -> JSON.readValue(response.body(), Transfer.class);
            case ProviderAnswer.REFUSED ->
                throw new TransferRefusedException(
                        JSON.readValue(response.body(), Refusal.class).message());
            default -> throw new IllegalStateException("The payment provider has answered " + response.statusCode());
        };
    }
}
