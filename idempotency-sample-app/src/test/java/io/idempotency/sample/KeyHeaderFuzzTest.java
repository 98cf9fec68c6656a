package io.idempotency.sample;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.sample.RawHttp.RawAnswer;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever arrives as Idempotency-Key: it names a key, and there is one payment, or it does not, and there is none. */
@Tag("full")
class KeyHeaderFuzzTest {

    private static final int REQUESTS = TestSize.pick(500, 100_000);

    private static RunningSample sample;

    private final long seed = new Random().nextLong();

    private final RandomKeyHeaders headers = new RandomKeyHeaders(seed);

    /** The payment that each key was first used for. */
    private final Map<String, String> references = new HashMap<>();

    private int refused;

    private int reused;

    private int shared;

    @BeforeAll
    static void start() {
        sample = RunningSample.start();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    void validKeysPayOnceAndAllOthersNever() throws Exception {
        try (RawHttp http = new RawHttp(sample.port())) {
            for (int i = 0; i < REQUESTS; i++) {
                List<String> fields = headers.next();
                try {
                    check(http, fields, "request-" + i);
                } catch (AssertionError | IOException failure) {
                    throw new AssertionError(
                            "Request " + i + " of seed " + seed + ", Idempotency-Key " + fields, failure);
                }
            }
        }
        assertThat(paid()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(references.values());
        assertThat(claimed()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(references.keySet());
        assertEverythingWasTried();
    }

    private void check(RawHttp http, List<String> fields, String reference) throws IOException {
        Optional<String> key = KeyHeaderOracle.keyOf(fields);
        RawAnswer answer = http.pay(fields, order(reference));
        if (key.isEmpty()) {
            assertThat(answer.status()).as(answer.body()).isIn(0, 400);
            refused++;
            // What follows the end of a line may have been taken for another request.
            if (fields.toString().matches("(?s).*[\r\n].*")) {
                http.close();
            }
        } else if (references.putIfAbsent(key.get(), reference) != null) {
            assertThat(answer.status()).as(answer.body()).isEqualTo(422);
            reused++;
        } else {
            assertThat(answer.status()).as(answer.body()).isEqualTo(201);
            assertThat(answer.replayed()).isFalse();
            if (headers.nextBoolean()) {
                String otherForm = KeyHeaderOracle.inOtherForm(fields.get(0), key.get());
                assertThat(http.pay(List.of(otherForm), order(reference)))
                        .as("as %s", otherForm)
                        .isEqualTo(new RawAnswer(201, true, answer.body()));
                shared++;
            }
        }
    }

    private void assertEverythingWasTried() {
        assertThat(references).as("seed %d", seed).hasSizeGreaterThan(REQUESTS / 10);
        assertThat(refused).as("seed %d", seed).isGreaterThan(REQUESTS / 10);
        assertThat(shared).as("seed %d", seed).isGreaterThan(REQUESTS / 20);
        assertThat(reused).as("seed %d", seed).isPositive();
    }

    private static String order(String reference) {
        return "{\"accountId\":\"alice\",\"amountCents\":1,\"currency\":\"EUR\",\"reference\":\"" + reference + "\"}";
    }

    private static List<String> paid() {
        return sample.jdbc()
                .sql("select reference from payment")
                .query(String.class)
                .list();
    }

    private static List<String> claimed() {
        return sample.jdbc()
                .sql("select idempotency_key from idempotency.idempotency_request")
                .query(String.class)
                .list();
    }
}
