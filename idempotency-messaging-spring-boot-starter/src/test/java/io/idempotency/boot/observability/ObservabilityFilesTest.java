package io.idempotency.boot.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.idempotency.Outcome;
import io.idempotency.boot.observability.PrometheusRules.Rule;
import io.idempotency.messaging.MessageOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/** The alerts and the dashboard ask for what there is, and what an alert means is written down. */
class ObservabilityFilesTest {

    private static final Pattern METRIC = Pattern.compile("(?<![:\\w])idempotency_\\w+");

    private static final Pattern RECORDED = Pattern.compile("\\w+:idempotency_\\w+(?::\\w+)?");

    private static final Pattern SELECTION = Pattern.compile("(?<![:\\w])(idempotency_\\w+)\\{([^}]*)}");

    private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"([^\"]*)\"");

    /** Of Prometheus itself, not of the application. */
    private static final Set<String> TARGET_LABELS = Set.of("job", "instance");

    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

    private static final Pattern TESTED_ALERT = Pattern.compile("alertname: (\\w+)\\n\\s+exp_alerts:\\n");

    private final PrometheusRules rules = PrometheusRules.read();

    private final GrafanaDashboard dashboard = GrafanaDashboard.read();

    private final Scrape scrape = Scrape.ofEveryMeter();

    ObservabilityFilesTest() throws IOException {}

    @Test
    void eachMetricExists() {
        assertThat(matches(METRIC, MatchResult::group)).hasSizeGreaterThan(15).isSubsetOf(scrape.names());
    }

    @Test
    void eachLabelIsOneOfItsMetric() {
        List<MatchResult> selections = expressions()
                .flatMap(expression -> SELECTION.matcher(expression).results())
                .toList();

        assertThat(selections)
                .isNotEmpty()
                .allSatisfy(selection -> assertThat(
                                LABEL.matcher(selection.group(2)).results().map(label -> label.group(1)))
                        .as(selection.group())
                        .isNotEmpty()
                        .allMatch(label -> TARGET_LABELS.contains(label)
                                || scrape.labelsOf(selection.group(1)).contains(label)));
    }

    @Test
    void eachOutcomeIsOne() {
        Set<String> outcomes = new HashSet<>();
        Arrays.stream(Outcome.values()).map(Outcome::tag).forEach(outcomes::add);
        Arrays.stream(MessageOutcome.values()).map(MessageOutcome::tag).forEach(outcomes::add);

        assertThat(matches(LABEL, label -> label.group(1).equals("outcome") ? label.group(2) : "").stream()
                        .filter(values -> !values.isEmpty())
                        .flatMap(values -> Arrays.stream(values.split("\\|", -1))))
                .isNotEmpty()
                .isSubsetOf(outcomes);
    }

    @Test
    void whatIsRecordedIsUsedAndWhatIsUsedIsRecorded() {
        assertThat(matches(RECORDED, MatchResult::group)).containsExactlyInAnyOrderElementsOf(rules.recorded());
    }

    @Test
    void eachAlertIsExplainedInTheRunbook() throws IOException {
        Set<String> headings = new HashSet<>();
        HEADING.matcher(Files.readString(Path.of("..", "docs", "operations.md")))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", ""))
                .forEach(heading -> headings.add("docs/operations.md#" + heading.replace(' ', '-')));

        assertThat(rules.alerts())
                .isNotEmpty()
                .allSatisfy(alert -> assertThat(headings).as(alert.alert()).contains(alert.runbook()));
    }

    @Test
    void eachAlertFiresInATestOfPromtools() throws IOException {
        assertThat(TESTED_ALERT
                        .matcher(Files.readString(PrometheusRules.TESTS))
                        .results()
                        .map(test -> test.group(1)))
                .containsAll(rules.alerts().stream().map(Rule::alert).toList());
    }

    @Test
    void panelsHaveDifferentTitles() {
        assertThat(dashboard.panels()).hasSizeGreaterThan(10).doesNotHaveDuplicates();
    }

    private Set<String> matches(Pattern pattern, Function<MatchResult, String> text) {
        Set<String> found = new HashSet<>();
        expressions()
                .forEach(expression ->
                        pattern.matcher(expression).results().map(text).forEach(found::add));
        return found;
    }

    private Stream<String> expressions() {
        List<String> expressions = new ArrayList<>(rules.expressions());
        expressions.addAll(dashboard.expressions());
        expressions.addAll(dashboard.variables());
        return expressions.stream();
    }
}
