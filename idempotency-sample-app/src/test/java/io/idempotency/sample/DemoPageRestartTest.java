package io.idempotency.sample;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A page that stays open while its application is stopped and started. */
@Tag("race")
@Tag("full")
class DemoPageRestartTest {

    @Test
    void anOpenPageKeepsNoApplicationFromStoppingAndFindsTheNextOne() {
        try (Browser browser = Browser.start()) {
            RunningSample first = RunningSample.start();
            browser.look("light", 1280, 900);
            browser.open(first.url() + "/#steps-title");
            await().until(() -> browser.text("#connection").equals("Live"));
            int port = first.port();
            long from = System.nanoTime();
            first.close();
            Duration stopping = Duration.ofNanos(System.nanoTime() - from);
            // A graceful shutdown waits for ten.
            assertThat(stopping).isLessThan(Duration.ofSeconds(8));
            await().until(() -> browser.text("#connection").startsWith("Connection lost"));

            try (RunningSample second = RunningSample.start(port)) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> browser.text("#connection").equals("Live"));
                String key = UUID.randomUUID().toString();
                browser.press("#own summary");
                browser.fill("#key", key);
                // The next one has another database, without the accounts that the page has opened.
                browser.script("document.getElementById('account').value = 'alice'");
                browser.press("#pay-once");
                await().untilAsserted(() ->
                        assertThat(browser.texts("#attempts tbody .badge")).containsExactly("charged"));
                assertThat(second.count("payment where reference = ?", key)).isEqualTo(1);
            }
        }
    }
}
