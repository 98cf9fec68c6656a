package io.idempotency.sample;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What Prometheus gets to see of real payments. */
@Tag("full")
class ScrapeTest {

    private static final Pattern TAG_KEY = Pattern.compile("(\\w+)=\"");

    @AutoClose
    private static final RunningSample SAMPLE =
            RunningSample.start("--idempotency.outbox.sample-interval=50ms", "--idempotency.sample-interval=50ms");

    private static final WalletClient WALLET = SAMPLE.wallet();

    @Test
    void callsAttemptsAndMessagesAreScraped() throws Exception {
        pay("scraped-1", 1250);
        pay("scraped-1", 1250);
        pay("scraped-1", 1251);
        pay("scraped-2", Long.MAX_VALUE);
        pay("scraped-2", Long.MAX_VALUE);

        assertThat(scrape())
                .contains(
                        "idempotency_calls_seconds_count{outcome=\"executed\",scope=\"payments\"} 1",
                        "idempotency_calls_seconds_count{outcome=\"replayed\",scope=\"payments\"} 1",
                        "idempotency_calls_seconds_count{outcome=\"key_reused\",scope=\"payments\"} 1",
                        "idempotency_calls_seconds_count{outcome=\"failed_final\",scope=\"payments\"} 1",
                        "idempotency_calls_seconds_count{outcome=\"failure_replayed\",scope=\"payments\"} 1",
                        "idempotency_attempt_failures_total{attempt=\"first\",exception=\"InsufficientFundsException\",scope=\"payments\"} 1.0");
        await().untilAsserted(() -> assertThat(scrape())
                .contains(
                        "idempotency_outbox_sent_seconds_count{topic=\"payments\"} 1",
                        "idempotency_outbox_sent_seconds_count{topic=\"account-events\"} 1",
                        "idempotency_inbox_messages_seconds_count{consumer=\"account-balance\",outcome=\"handled\"} 1",
                        "idempotency_outbox_pending_messages 0.0",
                        "idempotency_outbox_dead_kept_messages 0.0")
                .anyMatch(line -> line.startsWith("idempotency_outbox_oldest_age_seconds ")));
    }

    @Test
    void tablesAreScraped() {
        await().untilAsserted(() -> assertThat(scrape())
                .contains(
                        "idempotency_oldest_expired_age_seconds{table=\"idempotency_request\"} 0.0",
                        "idempotency_oldest_expired_age_seconds{table=\"outbox_event\"} 0.0",
                        "idempotency_leases_stale 0.0")
                .extracting(ScrapeTest::withoutValue)
                .contains(
                        "idempotency_rows{table=\"idempotency_request\"}",
                        "idempotency_rows{table=\"processed_message\"}",
                        "idempotency_rows{table=\"message_failure\"}",
                        "idempotency_rows{table=\"stream_position\"}",
                        "idempotency_rows{table=\"outbox_event\"}"));
    }

    @Test
    void noMeterNamesAKeyAndNoneTellsTheSameTwice() throws Exception {
        pay("scraped-3", 1250);

        assertThat(scrape())
                .noneMatch(line -> line.contains("scraped-3"))
                .noneMatch(line -> line.startsWith("idempotency_claim"))
                .noneMatch(line -> line.startsWith("idempotency_receive"))
                .noneMatch(line -> line.startsWith("idempotency_outbox_publish"));
        assertThat(scrape().stream()
                        .flatMap(line -> TAG_KEY.matcher(line).results().map(key -> key.group(1))))
                .isSubsetOf("scope", "outcome", "attempt", "exception", "sqlstate", "consumer", "topic", "table", "le");
    }

    private static void pay(String key, long cents) throws Exception {
        WALLET.pay(key, new Orders.Order(key, "alice", cents).body());
    }

    private static String withoutValue(String line) {
        return line.substring(0, line.lastIndexOf(' '));
    }

    /** The library's own lines. */
    private static List<String> scrape() {
        try {
            return WALLET.get("/actuator/prometheus")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("idempotency_"))
                    .toList();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
