package io.idempotency.boot.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.messaging.logging.IdempotencyMessagingLoggingAutoConfiguration;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.MessagingListeners;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.IdempotencyListeners;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of {@code docs/operations.md} say what is measured and logged. */
class ObservabilityPageTest {

    private static final Pattern METER =
            Pattern.compile("^\\| `(idempotency\\.[a-z.]+)` \\| (\\w+)[^|]*\\|([^|]*)\\|([^|]*)\\|", Pattern.MULTILINE);

    private static final Pattern LEVEL = Pattern.compile(
            "^\\| (?:`(io\\.idempotency\\.\\w+)`)? *\\| (DEBUG|INFO|WARN|ERROR) \\| (.*) \\|$", Pattern.MULTILINE);

    private static final Pattern CODE = Pattern.compile("`(\\w+)`");

    private final String page = Files.readString(Path.of("..", "docs", "operations.md"));

    ObservabilityPageTest() throws IOException {}

    @Test
    void eachMeterIsDocumentedWithItsTypeAndTags() {
        Map<String, String> documented = new HashMap<>();
        METER.matcher(page)
                .results()
                .forEach(
                        row -> documented.put(row.group(1), row.group(2) + " " + new TreeSet<>(codesIn(row.group(4)))));
        Map<String, String> measured = new HashMap<>();
        Scrape.ofEveryMeter()
                .meters()
                .forEach(meter -> measured.put(
                        meter.getName(), meter.getType().name().toLowerCase(Locale.ROOT) + " " + tagsOf(meter)));

        assertThat(documented).hasSizeGreaterThan(10).containsExactlyInAnyOrderEntriesOf(measured);
    }

    @Test
    void eachMeterHasTheNameThatIsDocumentedForPrometheus() {
        Scrape scrape = Scrape.ofEveryMeter();

        assertThat(METER.matcher(page).results()).isNotEmpty().allSatisfy(row -> {
            String name = row.group(1).replace('.', '_');
            Set<String> suffixes = row.group(2).equals("timer")
                    ? Set.of("_seconds_count", "_seconds_sum", "_seconds_max")
                    : codesIn(row.group(3));
            assertThat(scrape.names())
                    .containsAll(
                            suffixes.isEmpty()
                                    ? Set.of(name)
                                    : suffixes.stream().map(name::concat).toList());
        });
    }

    @Test
    void eachOutcomeOfACallIsDocumentedWithTheLevelOfItsLine() {
        Intent intent = new Intent("payments", "", new IdempotencyKey("order-42"));

        assertThat(documentedLevels("io.idempotency.calls"))
                .containsExactlyInAnyOrderEntriesOf(levels(
                        "io.idempotency.calls",
                        Outcome.values(),
                        Outcome::tag,
                        (listeners, outcome) -> listeners
                                .ofCalls()
                                .callCompleted(
                                        new CallCompleted("payments", intent, outcome, 1, Duration.ZERO, null))));
    }

    @Test
    void eachOutcomeOfADeliveryIsDocumentedWithTheLevelOfItsLine() {
        assertThat(documentedLevels("io.idempotency.inbox"))
                .containsExactlyInAnyOrderEntriesOf(levels(
                        "io.idempotency.inbox",
                        MessageOutcome.values(),
                        MessageOutcome::tag,
                        (listeners, outcome) -> listeners
                                .ofMessages()
                                .messageReceived(
                                        new MessageReceived("wallets", "m-1", outcome, 1, Duration.ZERO, null))));
    }

    private Map<String, String> documentedLevels(String logger) {
        Map<String, String> levels = new HashMap<>();
        String current = "";
        for (MatchResult row : LEVEL.matcher(page).results().toList()) {
            current = row.group(1) == null ? current : row.group(1);
            if (current.equals(logger)) {
                codesIn(row.group(3)).forEach(outcome -> levels.put(outcome, row.group(2)));
            }
        }
        return levels;
    }

    private static <O> Map<String, String> levels(
            String logger, O[] outcomes, Function<O, String> tag, BiConsumer<Listeners, O> announce) {
        Map<String, String> levels = new HashMap<>();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyLoggingAutoConfiguration.class, IdempotencyMessagingLoggingAutoConfiguration.class))
                .run(context -> {
                    Listeners listeners = new Listeners(
                            new IdempotencyListeners(context.getBeanProvider(IdempotencyListener.class)
                                    .orderedStream()
                                    .toList()),
                            new MessagingListeners(context.getBeanProvider(MessagingListener.class)
                                    .orderedStream()
                                    .toList()));
                    for (O outcome : outcomes) {
                        try (LogLines log = LogLines.of(logger)) {
                            announce.accept(listeners, outcome);
                            assertThat(log.all()).hasSize(1);
                            ILoggingEvent line = log.all().get(0);
                            levels.put(tag.apply(outcome), line.getLevel().toString());
                        }
                    }
                });
        return levels;
    }

    private record Listeners(IdempotencyListener ofCalls, MessagingListener ofMessages) {}

    private static Set<String> codesIn(String cell) {
        return CODE.matcher(cell).results().map(code -> code.group(1)).collect(Collectors.toSet());
    }

    private static SortedSet<String> tagsOf(Meter.Id meter) {
        return meter.getTags().stream().map(Tag::getKey).collect(Collectors.toCollection(TreeSet::new));
    }
}
