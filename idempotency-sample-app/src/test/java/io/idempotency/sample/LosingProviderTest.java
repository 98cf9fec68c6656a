package io.idempotency.sample;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The pretend provider that the sample brings along, which loses every second of its answers here. */
@Tag("full")
class LosingProviderTest {

    private static final int PAYOUTS = 20;

    private static RunningSample sample;

    @BeforeAll
    static void start() {
        sample = RunningSample.start(
                "--sample.provider.lost-answers=0.5", "--sample.provider.attempts=3", "--sample.provider.pause=5ms");
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    @Tag("race")
    void everyPayoutIsMadeOnce() throws Exception {
        PayoutRecords records = PayoutRecords.open(sample.jdbc(), WalletClient.of(sample.url()));

        List<Answer> answers = ConcurrentCalls.run(PAYOUTS, thread -> payUntilAnswered(records, thread))
                .requireAllSucceeded();

        assertThat(records.transfers())
                .containsExactlyInAnyOrderElementsOf(answers.stream()
                        .map(answer -> answer.text("$.transferId"))
                        .toList());
        assertThat(records.transfers()).hasSize(PAYOUTS);
        assertThat(records.spent()).isEqualTo(PAYOUTS * 500L);
    }

    private static Answer payUntilAnswered(PayoutRecords records, int payout) {
        String key = records.account() + "-" + payout;
        return await().atMost(Duration.ofSeconds(30))
                .until(() -> records.pay(key, 500), answer -> answer.status() == 201);
    }
}
