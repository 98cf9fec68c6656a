package io.idempotency.sample;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The page in a real browser: what it shows is what is in the database. */
@Tag("race")
class DemoPageTest {

    private static Browser browser;

    private static RunningSample sample;

    private static JdbcClient jdbc;

    /** A key for each test. */
    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        browser = Browser.start();
        sample = RunningSample.start("--idempotency.outbox.poll-interval=50ms");
        jdbc = sample.jdbc();
    }

    @AfterAll
    static void stop() {
        if (sample != null) {
            sample.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.look("light", 1280, 900);
        browser.open(sample.url() + "/");
        await().until(() -> browser.text("#connection").equals("Live"));
        browser.fill("#key", key);
    }

    @Test
    void payingOnceIsOnePaymentAndPayingAgainIsTheSameOne() {
        run("#pay-once");
        assertThat(outcomes()).containsExactly("executed");
        assertThat(browser.text("#summary")).isEqualTo("1 attempt with the key " + key + ": 1 executed.");

        run("#pay-once");
        assertThat(outcomes()).containsExactly("replayed");
        assertShownState("succeeded", 1);
    }

    @Test
    void twentyAttemptsAtOnceAreOnePaymentAndNineteenReplays() {
        run("#pay-20");

        assertThat(outcomes()).hasSize(20).containsOnlyOnce("executed");
        assertThat(outcomes()).filteredOn("replayed"::equals).hasSize(19);
        assertThat(browser.texts("#attempts tbody td:nth-child(3)")).containsOnly("201");
        assertShownState("succeeded", 1);
    }

    @Test
    void anotherAmountWithTheSameKeyIsRefused() {
        run("#pay-once");
        browser.press("#other-amount");
        assertThat(browser.element("#amount").getDomProperty("value")).isEqualTo("13.50");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("key_reused");
        assertShownState("succeeded", 1);
        assertThat(jdbc.sql("select amount_cents from payment where reference = ?")
                        .param(key)
                        .query(Long.class)
                        .single())
                .isEqualTo(1250);
    }

    @Test
    void aNewKeyIsANewPayment() {
        run("#pay-once");
        browser.press("#new-key");
        String other = browser.element("#key").getDomProperty("value");
        assertThat(other).isNotEqualTo(key);
        run("#pay-once");

        assertThat(outcomes()).containsExactly("executed");
        assertThat(payments(key)).isEqualTo(1);
        assertThat(payments(other)).isEqualTo(1);

        browser.choose("#recent [data-key='" + key + "']");
        run("#pay-once");
        assertThat(outcomes()).containsExactly("replayed");
    }

    @Test
    void aFirstAttemptThatFailsLeavesNothingAndTheNextOnePays() {
        browser.choose("input[value=THROW]");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("failed");
        assertShownState("failed_retryable", 0);

        browser.choose("input[value=NONE]");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("retried");
        assertShownState("succeeded", 1);
    }

    @Test
    void oneOfTwentyFailsAndAnotherOnePays() {
        browser.choose("input[value=THROW]");
        run("#pay-20");

        assertThat(outcomes()).hasSize(20).containsOnlyOnce("failed");
        assertThat(outcomes()).filteredOn("replayed"::equals).hasSize(18);
        assertShownState("succeeded", 1);
    }

    @Test
    void aKilledBackendIsRepeatedInsideOfTheCall() {
        browser.choose("input[value=KILL]");
        run("#pay-20");

        assertThat(outcomes()).hasSize(20).containsOnlyOnce("executed");
        assertThat(outcomes()).filteredOn("replayed"::equals).hasSize(19);
        assertThat(browser.texts("#attempts .hint")).containsExactly("connection lost, method run again");
        assertThat(browser.texts("#sql tr.failed code"))
                .hasSize(1)
                .first()
                .asString()
                .contains("pg_terminate_backend");
        assertShownState("succeeded", 1);
    }

    @Test
    void showsTheStatementsOfAttemptsWithoutValues() {
        run("#pay-once");

        await().untilAsserted(() ->
                assertThat(browser.texts("#sql tbody td:first-child")).contains("#1", "background"));
        await().untilAsserted(() -> assertThat(browser.texts("#sql code"))
                .anyMatch(text -> text.contains("insert into payment"))
                .anyMatch(text -> text.contains("update \"idempotency\".outbox_event")));
        assertThat(browser.texts("#sql code")).noneMatch(text -> text.contains(key));
    }

    @Test
    void anAmountThatIsNoneIsNotAskedFor() {
        browser.fill("#amount", "0");
        browser.press("#pay-once");

        assertThat(browser.script("return document.getElementById('amount').checkValidity()"))
                .isEqualTo(false);
        assertThat(browser.script("return document.body.dataset.run ?? 'none'")).isEqualTo("none");
        assertThat(payments(key)).isZero();
    }

    @Test
    void everythingHasANameAndNothingComesFromElsewhere() {
        assertThat(browser.script("""
                        return [...document.querySelectorAll('input, select, button')]
                            .filter(control => !(control.labels?.length || control.textContent.trim()
                                || control.getAttribute('aria-label')))
                            .map(control => control.outerHTML)""")).isEqualTo(List.of());
        assertThat(browser.script("""
                        return performance.getEntriesByType('resource').map(entry => entry.name)
                            .filter(name => !name.startsWith(location.origin))""")).isEqualTo(List.of());
    }

    @Test
    void canBeReadInLightInDarkAndOnAPhone() throws Exception {
        browser.choose("input[value=THROW]");
        run("#pay-20");
        assertShownState("succeeded", 1);
        browser.script("document.activeElement.blur(); scrollTo(0, 0)");

        for (String scheme : List.of("light", "dark")) {
            browser.look(scheme, 1280, 1750);
            assertContrast();
            browser.screenshot("page-" + scheme);
        }
        browser.look("light", 375, 3000);
        browser.screenshot("page-narrow");
        assertThat(browser.script("""
                        const root = document.documentElement;
                        return [...document.querySelectorAll('main *')]
                            .filter(element => !element.closest('.scroll')
                                && element.getBoundingClientRect().right > root.clientWidth)
                            .map(element => element.outerHTML.slice(0, 80))""")).isEqualTo(List.of());
    }

    private void run(String button) {
        browser.script("delete document.body.dataset.run");
        browser.press(button);
        await().until(() -> "done".equals(browser.script("return document.body.dataset.run")));
        // What is drawn waits for the next frame.
        await().until(() -> !outcomes().contains("waiting") && !outcomes().isEmpty());
    }

    private static List<String> outcomes() {
        return browser.texts("#attempts tbody .badge");
    }

    /** On the page and in the database: the row of the key, its effects and its messages, all sent and handled. */
    private void assertShownState(String status, int payments) {
        assertThat(jdbc.sql("select status from idempotency.idempotency_request where idempotency_key = ?")
                        .param(key)
                        .query(String.class)
                        .list())
                .containsExactly(status);
        assertThat(payments(key)).isEqualTo(payments);
        await().untilAsserted(() -> {
            assertThat(browser.text("#row-status")).isEqualTo(status);
            assertThat(browser.text("#effects-count")).isEqualTo(payments == 1 ? "1 payment" : payments + " payments");
            assertThat(browser.text("#outbox-count")).isEqualTo(payments == 0 ? "0 messages" : "2 of 2 sent");
            assertThat(browser.text("#notified"))
                    .isEqualTo(payments == 1 ? "1 notification" : payments + " notifications");
            assertThat(browser.text("#projected")).isEqualTo("up to date");
        });
    }

    private static long payments(String key) {
        return jdbc.sql("select count(*) from payment where reference = ?")
                .param(key)
                .query(Long.class)
                .single();
    }

    /** WCAG 2, level AA: 4.5 to 1 for text of this size. */
    private static void assertContrast() {
        assertThat(browser.script("""
                const numbers = color => color.match(/[\\d.]+/g).map(Number);
                const luminance = color => {
                    const [r, g, b] = numbers(color).slice(0, 3).map(part => part / 255)
                        .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
                    return .2126 * r + .7152 * g + .0722 * b;
                };
                const background = element => {
                    for (let at = element; at; at = at.parentElement) {
                        const color = getComputedStyle(at).backgroundColor;
                        if (numbers(color).length === 3 || numbers(color)[3] === 1) {
                            return color;
                        }
                    }
                    return getComputedStyle(document.documentElement).backgroundColor;
                };
                const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                const poor = [];
                while (texts.nextNode()) {
                    const element = texts.currentNode.parentElement;
                    if (texts.currentNode.textContent.trim() && element.checkVisibility()) {
                        const lights = [getComputedStyle(element).color, background(element)].map(luminance);
                        const ratio = (Math.max(...lights) + .05) / (Math.min(...lights) + .05);
                        if (ratio < 4.5) {
                            poor.push(ratio.toFixed(2) + ' ' + texts.currentNode.textContent.trim());
                        }
                    }
                }
                return poor""")).isEqualTo(List.of());
    }
}
