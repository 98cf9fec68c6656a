package io.idempotency.sample;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import io.idempotency.boot.client.IdempotencyKeyInterceptor;
import io.idempotency.sample.DroppingProxy.Drop;
import io.idempotency.sample.DroppingProxy.Exchange;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** An application pays by means of Spring's RestClient, over a network that loses requests and answers. */
@Tag("full")
class RepeatingClientTest {

    private static final int THREADS = 15;

    private static final int PAYMENTS_OF_A_THREAD = 4;

    private static final int PAYMENTS = THREADS * PAYMENTS_OF_A_THREAD;

    private static final List<Drop> LOSSES = List.copyOf(EnumSet.complementOf(EnumSet.of(Drop.NOTHING)));

    private static final double SHARE_OF_DROPS = 0.6;

    /** No more requests with one key, so that every payment comes to an end. */
    private static final int MOST_DROPS = 4;

    /** More than are dropped, because a busy machine answers late, and some repeats find their first request still running. */
    private static final int MAX_ATTEMPTS = 20;

    private static final Duration MAX_DURATION = Duration.ofMinutes(2);

    /** Long for an answer, and short for a test that waits for answers that never come. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

    private static RunningSample sample;

    private final String run = UUID.randomUUID().toString();

    private final Map<String, Integer> requests = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() {
        sample = RunningSample.start();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    @Tag("race")
    void everyPaymentIsMadeOnceAndEveryCallerIsTold() throws Exception {
        try (DroppingProxy proxy = new DroppingProxy(sample.port(), this::atRandom)) {
            RestClient client = client(proxy.url());

            List<String> paid =
                    ConcurrentCalls.run(THREADS, thread -> paySeveral(client, thread)).requireAllSucceeded().stream()
                            .flatMap(List::stream)
                            .toList();

            assertThat(paid)
                    .containsExactlyElementsOf(
                            IntStream.range(0, PAYMENTS).mapToObj(this::payment).toList());
            assertMuchWasLost(proxy.exchanges());
        }
    }

    private static RestClient client(String url) {
        JdkClientHttpRequestFactory http = new JdkClientHttpRequestFactory();
        http.setReadTimeout(READ_TIMEOUT);
        return RestClient.builder()
                .baseUrl(url)
                .requestFactory(http)
                .requestInterceptor(new IdempotencyKeyInterceptor("wallet", MAX_ATTEMPTS, MAX_DURATION))
                .build();
    }

    private List<String> paySeveral(RestClient client, int thread) {
        int first = thread * PAYMENTS_OF_A_THREAD;
        return IntStream.range(first, first + PAYMENTS_OF_A_THREAD)
                .mapToObj(index -> pay(client, keyOf(index)))
                .toList();
    }

    private String keyOf(int index) {
        return run + "-" + index;
    }

    private static String pay(RestClient client, String key) {
        Map<?, ?> payment = client.post()
                .uri("/payments")
                .header("Idempotency-Key", key)
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("accountId", "alice", "amountCents", 5, "currency", "EUR", "reference", key))
                .retrieve()
                .requiredBody(Map.class);
        return (String) payment.get("paymentId");
    }

    /** Fails if there is not exactly one. */
    private String payment(int index) {
        return sample.jdbc()
                .sql("select payment_id::text from payment where reference = ?")
                .param(keyOf(index))
                .query(String.class)
                .single();
    }

    /** Or nothing would have been tried. */
    private static void assertMuchWasLost(List<Exchange> exchanges) {
        List<Exchange> executed = exchanges.stream()
                .filter(exchange -> exchange.status() == 201 && !exchange.replayed())
                .toList();
        assertThat(exchanges).extracting(Exchange::drop).contains(Drop.values());
        assertThat(executed).hasSize(PAYMENTS);
        assertThat(executed)
                .as("lost answers to requests that made the payment")
                .filteredOn(exchange -> exchange.drop() != Drop.NOTHING)
                .hasSizeGreaterThan(PAYMENTS / 10);
        assertThat(exchanges)
                .as("replays that were delivered")
                .filteredOn(exchange -> exchange.replayed() && exchange.drop() == Drop.NOTHING)
                .hasSizeGreaterThan(PAYMENTS / 10);
    }

    /** The same for the same keys, in whatever order they come; each run has its own. */
    private Drop atRandom(String key) {
        int request = requests.merge(key, 1, Integer::sum);
        SplittableRandom random = new SplittableRandom((key + "#" + request).hashCode());
        return request > MOST_DROPS || random.nextDouble() >= SHARE_OF_DROPS
                ? Drop.NOTHING
                : LOSSES.get(random.nextInt(LOSSES.size()));
    }
}
