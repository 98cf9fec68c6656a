package io.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WindowType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The page in a real browser: what it shows is what is in the database. */
@Tag("race")
@Tag("full")
class DemoPageTest {

    private static Browser browser;

    private static RunningSample sample;

    /** A key for each test. */
    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        browser = Browser.start();
        sample = RunningSample.start("--idempotency.outbox.poll-interval=50ms");
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
        openWithoutStory();
        browser.press("#own summary");
        browser.fill("#key", key);
    }

    @Test
    void theStoryIsToldWithoutAClick() throws Exception {
        browser.open("about:blank");
        browser.open(sample.url() + "/");
        awaitStory("told");

        assertThat(figures("without")).containsExactly("20", "20", "19");
        assertThat(tape("without")).hasSize(20).containsOnly("€");
        assertThat(browser.text("#without .balance")).isEqualTo("Balance €300.00 → €50.00");
        assertThat(browser.text("#told-without strong")).isEqualTo("20 × charged €12.50. €237.50 too much.");
        assertThat(figures("with")).containsExactly("20", "1", "0");
        assertThat(tape("with")).hasSize(20).containsOnlyOnce("€").contains("=").doesNotContain("–");
        assertThat(browser.text("#with .balance")).isEqualTo("Balance €300.00 → €287.50");
        assertThat(browser.text("#told-with strong"))
                .isEqualTo("1 × charged €12.50. 19 × the same receipt, not charged again.");
        assertThat(browser.script("return document.activeElement === document.body"))
                .as("the focus is where it was")
                .isEqualTo(true);

        assertThat(sample.count("payment where account_id = ?", account("without")))
                .isEqualTo(20);
        assertThat(sample.count("payment where account_id = ?", account("with")))
                .isEqualTo(1);
        assertThat(balanceOf(account("without"))).isEqualTo(5_000);
        assertThat(balanceOf(account("with"))).isEqualTo(28_750);
        assertThat(sample.count(
                        "idempotency.idempotency_request where idempotency_scope = 'payments' and idempotency_key in "
                                + "(select reference from payment where account_id = ?)",
                        account("without")))
                .as("what has no key leaves none")
                .isZero();
        // Payments without a key are told to the projections as all others are.
        sample.awaitAllSent();
        await().untilAsserted(
                        () -> assertThat(sample.wallet().get("/projections").body())
                                .containsSubsequence("account-balance", "\"lag\":0", "daily-totals", "\"lag\":0"));
    }

    @Test
    void aButtonEndsTheStory() {
        browser.open("about:blank");
        browser.open(sample.url() + "/");
        await().until(() -> "running".equals(browser.script("return document.body.dataset.run")));
        browser.press("#steps [value=pay]");
        await().untilAsserted(
                        () -> assertThat(browser.texts("#told-pay strong")).containsExactly("Charged €12.50."));

        assertThat(browser.script("return document.body.dataset.story")).isEqualTo("interrupted");
        assertThat(figures("without")).containsExactly("20", "20", "19");
        assertThat(figures("with")).as("what was not played").containsExactly("0", "0", "0");

        browser.press("#again");
        awaitStory("told");
        assertThat(figures("with")).containsExactly("20", "1", "0");
    }

    @Test
    void theStoryKeepsItsNumbersWhateverIsPaidLater() {
        browser.open("about:blank");
        browser.open(sample.url() + "/");
        awaitStory("told");

        run("#steps [value=retry]");
        run("#steps [value=twenty]");
        run("#steps [value=pay]");
        run("#steps [value=other]");

        assertThat(figures("without")).containsExactly("20", "20", "19");
        assertThat(figures("with")).containsExactly("20", "1", "0");
        assertThat(tape("with")).hasSize(20).containsOnlyOnce("€").contains("=").doesNotContain("–");
        assertThat(browser.text("#with .balance")).isEqualTo("Balance €300.00 → €287.50");
        assertThat(browser.text("#told-other")).as("the account goes on").endsWith("balance still €262.50.");
        assertThat(browser.text("#curl")).as("of what was paid").contains("\"amountCents\":1250");
    }

    @Test
    void theCommandGetsTheReceiptThatTheBrowserHas() throws Exception {
        browser.fill("#key", "it's\"\\$HOME" + key.substring(0, 8));
        run("#pay-once");
        Process curl = new ProcessBuilder("sh", "-c", browser.text("#curl"))
                .redirectErrorStream(true)
                .start();
        String answer = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(curl.waitFor()).as(answer).isZero();
        assertThat(answer).contains("201", "Idempotent-Replayed: true", newestPayment());
        assertThat(payments(account("with"))).isZero();
    }

    @Test
    void theStepsAreTakenByTheKeyboardAlone() {
        openWithoutStory();
        long payments = payments();
        long balance = 30_000;
        browser.script("document.querySelector('.skip').focus()");
        browser.pressKey(Keys.TAB);
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("again");

        String told = step("pay");
        String paid = newestPayment();
        assertThat(told).isEqualTo("""
                        Charged €12.50.
                        The first attempt with a key commits claim, charge and receipt together. Payment %s, balance %s → %s.""".formatted(paid, euros(balance), euros(balance - 1250)));
        assertWallet(payments + 1, balance - 1250);

        assertThat(step("retry")).isEqualTo("""
                        The same receipt, not charged again.
                        Every other attempt gets the stored receipt; the method does not run. Payment %s, balance still %s.""".formatted(paid, euros(balance - 1250)));
        assertWallet(payments + 1, balance - 1250);

        assertThat(step("twenty"))
                .startsWith("1 × charged €12.50. 19 × the same receipt, not charged again.\nThe first attempt with")
                .endsWith("Payment %s, balance %s → %s."
                        .formatted(newestPayment(), euros(balance - 1250), euros(balance - 2500)));
        assertWallet(payments + 2, balance - 2500);

        assertThat(step("other")).isEqualTo("""
                        Refused, not charged.
                        The key belongs to another payment. HTTP 422 Idempotency-Key is already used, balance still %s.""".formatted(euros(balance - 2500)));
        assertWallet(payments + 2, balance - 2500);

        assertThat(step("crash"))
                .startsWith("Charged €12.50, once, in spite of the crash.\nThe connection was lost before COMMIT")
                .endsWith("Payment %s, balance %s → %s."
                        .formatted(newestPayment(), euros(balance - 2500), euros(balance - 3750)));
        assertWallet(payments + 3, balance - 3750);
        assertThat(browser.script(
                        "return [...document.querySelectorAll('.bar rect')].map(part => part.getAttribute('class'))"))
                .as("two executions, one of them lost")
                .isEqualTo(List.of("wait", "lost", "span"));
        assertThat(browser.texts("#axis span"))
                .as("the step of the axis depends on how long the payment took")
                .startsWith("0")
                .element(1)
                .asString()
                .matches("[1-9]00 ms");
        await().untilAsserted(
                        () -> assertThat(browser.texts("#transactions").get(0)).contains("1 committed, 1 rolled back"));
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

        browser.fill("#key", key);
        run("#pay-once");
        assertThat(outcomes()).containsExactly("replayed");
    }

    @Test
    void aFirstAttemptThatFailsLeavesNothingAndTheNextOnePays() {
        browser.choose("input[value=THROW]");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("failed");
        assertShownState("failed_retryable", 0);
        assertThat(browser.text("#effects")).startsWith("Nothing stayed");
        assertThat(browser.texts("#response").get(0)).startsWith("none: the next attempt runs the method");

        browser.choose("input[value=NONE]");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("retried");
        assertShownState("succeeded", 1);
    }

    @Test
    void aKilledBackendIsRepeatedInsideOfTheCall() {
        browser.choose("input[value=KILL]");
        run("#pay-20");

        assertThat(outcomes()).hasSize(20).containsOnlyOnce("executed");
        assertThat(outcomes()).filteredOn("replayed"::equals).hasSize(19);
        assertThat(browser.texts("#attempts .hint")).containsExactly("rolled back, run again");
        assertThat(browser.texts("#sql tr.failed code")).first().asString().contains("pg_terminate_backend");
        assertShownState("succeeded", 1);
    }

    @Test
    void anAttemptIsOneTransactionFromTheClaimToTheResponse() {
        run("#pay-once");

        await().untilAsserted(() -> assertThat(transactions("#1", "committed"))
                .singleElement()
                .satisfies(statements -> assertThat(statements)
                        .startsWith("BEGIN")
                        .endsWith("COMMIT")
                        .anyMatch(text -> text.contains("insert into \"idempotency\".idempotency_request"))
                        .anyMatch(text -> text.contains("insert into account_event"))
                        .anyMatch(text -> text.contains("insert into payment"))
                        .anyMatch(text -> text.contains("insert into \"idempotency\".outbox_event"))
                        .anyMatch(text -> text.contains("update \"idempotency\".idempotency_request"))));
        await().untilAsserted(() -> assertThat(transactions("background", "committed"))
                .anySatisfy(statements -> assertThat(statements)
                        .startsWith("BEGIN")
                        .endsWith("COMMIT")
                        .anyMatch(text -> text.contains("insert into account_balance"))));
        assertThat(browser.texts("#transactions").get(0)).contains("1 committed, 0 rolled back");
        assertThat(browser.texts("#core code"))
                .as("what matters of it")
                .satisfiesExactly(
                        claim -> assertThat(claim)
                                .endsWith("idempotency_request as stored … values … on conflict do nothing"),
                        charge -> assertThat(charge).isEqualTo("insert into payment … values … returning *"),
                        receipt -> assertThat(receipt)
                                .startsWith(
                                        "update \"idempotency\".idempotency_request set status = 'succeeded', response_body = ?"));
        browser.press(".sql summary");
        assertThat((Long) browser.script(
                        "return [...document.querySelectorAll('#sql tr')].filter(row => row.offsetHeight > 60).length"))
                .as("statements that take more than a line or two before they are unfolded")
                .isZero();
        assertThat(browser.texts("#sql code")).as("values").noneMatch(text -> text.contains(key));
    }

    @Test
    void whatAKilledBackendHadWrittenIsRolledBack() {
        browser.choose("input[value=KILL]");
        run("#pay-once");

        await().untilAsserted(() -> assertThat(transactions("#1", "rolled-back"))
                .singleElement()
                .satisfies(statements -> assertThat(statements)
                        .startsWith("BEGIN")
                        .endsWith("ROLLBACK")
                        .anyMatch(text -> text.contains("insert into payment"))));
        assertThat(transactions("#1", "committed")).hasSize(1);
    }

    @Test
    void whoStaysInItsTransactionIsWaitedForByAllOthers() {
        browser.choose("input[value=HOLD]");
        run("#pay-20");

        List<String> outcomes = outcomes();
        assertThat(outcomes).hasSize(20).containsOnlyOnce("executed");
        assertThat(outcomes).filteredOn("in_progress"::equals).hasSize(19);
        String holder = "#" + (outcomes.indexOf("executed") + 1);
        assertThat(browser.texts("#attempts .waited"))
                .filteredOn(waited -> !waited.isEmpty())
                .hasSize(19)
                .containsOnly(holder);
        assertShownState("succeeded", 1);
    }

    @Test
    void insufficientFundsAreAFailureThatIsReplayed() {
        browser.fill("#amount", "20000");
        run("#pay-once");
        assertThat(outcomes()).containsExactly("failed_final");
        assertThat(browser.text("#told-own"))
                .startsWith("Refused, not charged.")
                .contains("HTTP 422 Insufficient funds, balance still");

        run("#pay-once");
        assertThat(outcomes()).containsExactly("failure_replayed");
        assertThat(browser.texts("#attempts tbody td:nth-child(3)")).containsExactly("422");
        assertShownState("failed_final", 0);
    }

    @Test
    void aKeyIsTextWhateverItConsistsOf() {
        String odd = "\"<img/src=x/onerror=document.title='run'>\\&amp;\"" + key.substring(0, 8);
        browser.fill("#key", odd);
        run("#pay-once");
        run("#pay-once");

        assertThat(outcomes()).containsExactly("replayed");
        assertThat(payments(odd)).isEqualTo(1);
        await().untilAsserted(() -> assertThat(browser.text("#row-status")).isEqualTo("succeeded"));
        assertThat(browser.text("#row-key")).isEqualTo(odd);
        assertThat(browser.script("return document.images.length")).isEqualTo(0L);
    }

    @Test
    void noScriptRunsButThePagesOwn() {
        assertThat(browser.script("""
                        const script = document.createElement('script');
                        script.textContent = 'document.body.dataset.foreign = "ran"';
                        document.body.append(script);
                        return document.body.dataset.foreign ?? 'refused'""")).isEqualTo("refused");
    }

    @Test
    void allPagesThatAreOpenShowTheNewestRun() {
        String first = browser.driver().getWindowHandle();
        browser.driver().switchTo().newWindow(WindowType.TAB);
        try {
            open();
            run("#pay-once");
            browser.driver().close();
        } finally {
            browser.driver().switchTo().window(first);
        }

        await().untilAsserted(() -> assertThat(outcomes()).containsExactly("executed"));
        assertThat(browser.text("#row-key")).isEqualTo(key);
    }

    @Test
    void whatIsReadTopDownIsReachedInThatOrder() {
        for (int width : List.of(1280, 640, 360)) {
            browser.look("light", width, 900);
            assertThat(browser.script("""
                            const tops = [...document.querySelectorAll('main section')]
                                .map(section => section.getBoundingClientRect().top);
                            return tops.every((top, i) => i === 0 || top >= tops[i - 1])""")).isEqualTo(true);
        }
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
    void headingsAreInOrderResultsAreAnnouncedAndNothingMoves() {
        assertThat(browser.script("""
                        const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map(heading => +heading.tagName[1]);
                        return levels[0] === 1 && levels.slice(1).every((level, i) => level > 1 && level <= levels[i] + 1)""")).isEqualTo(true);
        assertThat(browser.script("""
                        return [...document.querySelectorAll('.told')]
                            .filter(told => !told.closest('[aria-live=polite], [role=status]'))
                            .map(told => told.id)""")).isEqualTo(List.of());
        assertThat(browser.script("""
                        return [...document.querySelectorAll('*')]
                            .filter(element => getComputedStyle(element).transitionDuration !== '0s'
                                || getComputedStyle(element).animationName !== 'none')
                            .map(element => element.outerHTML.slice(0, 80))""")).isEqualTo(List.of());
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
        browser.open("about:blank");
        browser.open(sample.url() + "/");
        awaitStory("told");
        for (String scheme : List.of("light", "dark")) {
            browser.look(scheme, 1280, 1000);
            browser.look(scheme, 1280, endOf(".story"));
            browser.screenshot("page-" + scheme);
            assertContrast();
        }
        browser.look("light", 390, 1000);
        browser.look("light", 390, endOf(".story"));
        browser.screenshot("page-narrow");

        for (String step : List.of("pay", "retry", "twenty", "other", "crash")) {
            run("#steps [value=" + step + "]");
        }
        browser.script("document.querySelectorAll('details').forEach(details => details.open = true)");
        browser.choose("input[value=THROW]");
        run("#pay-20");
        browser.look("light", 360, 1000);
        // How wide a table is depends on what has happened; it scrolls by itself.
        assertThat(browser.script("""
                        const root = document.documentElement;
                        return [root, ...document.querySelectorAll('body :not(input, .scroll, .scroll *)')]
                            .filter(element => element.scrollWidth > element.clientWidth && element.clientWidth > 0
                                || element.getBoundingClientRect().right > root.clientWidth)
                            .map(element => element.outerHTML.slice(0, 80))""")).isEqualTo(List.of());
        for (String scheme : List.of("light", "dark")) {
            browser.look(scheme, 1280, 1000);
            assertContrast();
        }
    }

    private static void openWithoutStory() {
        // Another address than the last one, because a change of the fragment alone loads nothing.
        browser.open("about:blank");
        browser.open(sample.url() + "/#steps-title");
        awaitStory("told");
    }

    private static void awaitStory(String end) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> end.equals(browser.script("return document.body.dataset.story")));
    }

    private static String account(String side) {
        return (String) browser.script("return document.getElementById('" + side + "').dataset.account");
    }

    private static List<String> figures(String side) {
        return browser.texts("#" + side + " .figures dd");
    }

    private static List<String> tape(String side) {
        return browser.texts("#" + side + " .tape i");
    }

    private static long balanceOf(String account) {
        return Long.parseLong(sample.texts(
                        "select balance_cents::text from account_event where account_id = ? order by version desc",
                        account)
                .get(0));
    }

    /** Goes to the next button, which has to be this one, and presses it. Its result is what the page tells. */
    private String step(String step) {
        browser.pressKey(Keys.TAB);
        assertThat(browser.script("return document.activeElement.value")).isEqualTo(step);
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
                .isEqualTo("solid");
        run(() -> browser.pressKey(Keys.ENTER));
        assertThat(browser.script("return document.activeElement.value")).isEqualTo(step);
        return browser.text("#told-" + step);
    }

    private static String euros(long cents) {
        return String.format(Locale.ENGLISH, "€%,.2f", cents / 100.0);
    }

    private void run(String button) {
        run(() -> browser.press(button));
    }

    private void run(Runnable press) {
        browser.script("delete document.body.dataset.run");
        press.run();
        await().until(() -> "done".equals(browser.script("return document.body.dataset.run")));
        // What is drawn waits for the next frame.
        await().until(() -> !outcomes().contains("waiting") && !outcomes().isEmpty());
    }

    private static int endOf(String css) {
        return ((Number) browser.script(
                        "return Math.ceil(document.querySelector('" + css + "').getBoundingClientRect().bottom + 12)"))
                .intValue();
    }

    /** Their statements, of those that ended like that. */
    @SuppressWarnings("unchecked")
    private static List<List<String>> transactions(String by, String end) {
        return (List<List<String>>) browser.script("return [...document.querySelectorAll('#sql tbody[data-end=" + end
                + "]')].filter(group => group.rows[0].cells[0].textContent === '" + by
                + "').map(group => [...group.rows].map(row => row.querySelector('.full').textContent))");
    }

    private static List<String> outcomes() {
        return ((List<?>) browser.script("return [...document.querySelectorAll('#attempts tbody .badge')]"
                        + ".map(badge => badge.dataset.outcome ?? badge.textContent)"))
                .stream().map(String.class::cast).toList();
    }

    /** On the page and in the database: the row of the key, its effects and its messages, all sent and handled. */
    private void assertShownState(String status, int payments) {
        assertThat(sample.texts("select status from idempotency.idempotency_request where idempotency_key = ?", key))
                .containsExactly(status);
        assertThat(payments(key)).isEqualTo(payments);
        await().untilAsserted(() -> {
            assertThat(browser.text("#row-status")).isEqualTo(status);
            assertThat(browser.text("#effects-count")).isEqualTo(payments == 1 ? "1 payment" : payments + " payments");
            assertThat(browser.texts("#outbox-count, #notified, #projected"))
                    .containsExactly(
                            payments == 0 ? "0 messages" : "2 of 2 sent",
                            payments == 1 ? "1 notification" : payments + " notifications",
                            "up to date");
        });
    }

    private static long payments(String key) {
        return sample.count("payment where reference = ?", key);
    }

    private static void assertWallet(long payments, long balance) {
        assertThat(payments()).isEqualTo(payments);
        assertThat(balanceOf(account("with"))).isEqualTo(balance);
    }

    private static long payments() {
        return sample.count("payment");
    }

    private static String newestPayment() {
        return sample.texts("select left(payment_id::text, 8) from payment order by created_at desc limit 1")
                .get(0);
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
