package io.idempotency.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.sample.provider.ProviderServer;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** The pretend provider as whoever calls it sees it; the sample itself does not reach it here. */
@Tag("full")
class ProviderTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start(
            "--sample.provider.url=http://127.0.0.1:1",
            "--sample.provider.lost-answers=0",
            "--sample.provider.pause=10ms");

    private final String key = UUID.randomUUID().toString();

    @Test
    @Tag("race")
    void transferIsMadeOnceForItsKey() throws Exception {
        List<Answer> answers =
                ConcurrentCalls.run(8, () -> transfer(key, order(500))).requireAllSucceeded();

        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(transfers()).containsExactly(answers.get(0).text("$.transferId"));
    }

    @Test
    void refusalIsForEver() throws Exception {
        assertThat(transfer(key, order(513)).status()).isEqualTo(402);
        assertThat(transfer(key, order(513)).status()).isEqualTo(402);
    }

    @Test
    void keyOfAnotherTransferIsRefused() throws Exception {
        Answer first = transfer(key, order(500));

        assertThat(transfer(key, order(501)).status()).isEqualTo(422);

        assertThat(transfer(key, order(500))).isEqualTo(first);
    }

    @Test
    void whatIsNoTransferIsRefused() throws Exception {
        assertThat(transfer(" ", order(500)).status()).isEqualTo(400);
        assertThat(transfer(key, "nonsense").status()).isEqualTo(400);
        assertThat(transfers()).isEmpty();
    }

    private static String order(long cents) {
        return "{\"account\":\"alice\",\"amountCents\":" + cents + "}";
    }

    private static Answer transfer(String key, String body) throws Exception {
        URI url = SAMPLE.bean(ProviderServer.class).url().resolve("/transfers");
        return Answer.of(HTTP.send(
                HttpRequest.newBuilder(url)
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString()));
    }

    private List<String> transfers() {
        return SAMPLE.texts("select transfer_id::text from provider_transfer where idempotency_key = ?", key);
    }
}
