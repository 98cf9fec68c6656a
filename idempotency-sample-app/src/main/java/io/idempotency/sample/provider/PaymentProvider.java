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

import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
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

    private final Duration timeout;

    private final RetryTemplate retry;

    PaymentProvider(ProviderServer server, ProviderProperties properties) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(properties.timeout())
                .build();
        this.url = Objects.requireNonNullElseGet(properties.url(), server::url).resolve("/transfers");
        this.timeout = properties.timeout();
        this.retry = new RetryTemplate(RetryPolicy.builder()
                .includes(IOException.class)
                .maxRetries(properties.attempts() - 1L)
                .delay(properties.pause())
                .multiplier(2)
                .build());
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
        try {
            return retry.execute(() -> send(request));
        } catch (RetryException notAnswered) {
            if (notAnswered.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new ProviderUnavailableException("The payment provider does not answer.", notAnswered);
        }
    }

    /** The timeout of a request would end with the head of its answer, and wait for the rest for ever. */
    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, BodyHandlers.ofString());
        try {
            HttpResponse<String> response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (!isAnswer(response.statusCode())) {
                throw new IOException("The payment provider has answered " + response.statusCode() + ".");
            }
            return response;
        } catch (TimeoutException | ExecutionException e) {
            throw new IOException("There was no whole answer.", e);
        } finally {
            answer.cancel(true);
        }
    }

    private static boolean isAnswer(int status) {
        return status != TOO_MANY_REQUESTS && status < FIRST_SERVER_ERROR;
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
