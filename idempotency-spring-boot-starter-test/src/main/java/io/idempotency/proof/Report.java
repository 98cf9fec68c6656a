package io.idempotency.proof;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The page of a scenario: each run with its timeline of statements, its fault, and what was committed. */
final class Report {

    private static final Path FOLDER =
            Path.of(Files.isDirectory(Path.of("build", "classes")) ? "build" : "target", "idempotency");

    private static final String PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>%1$s</title>
            <style>
            :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
            body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
            details { border-top: 1px solid color-mix(in srgb, currentColor 25%%, transparent); padding: .3rem 0; }
            summary { cursor: pointer; }
            table { border-collapse: collapse; width: 100%%; margin: .5rem 0 1rem; }
            td, th { text-align: left; vertical-align: top; padding: .1rem .8rem .1rem 0; }
            code, pre { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
            .ok { color: light-dark(#17692f, #7ddc97); }
            .wrong, .struck { color: light-dark(#a31621, #ff9c9c); font-weight: 600; }
            .skipped, .library { opacity: .65; }
            </style>
            <h1>%1$s</h1>
            <p>%2$s</p>
            %3$s
            </html>
            """;

    enum Verdict {
        OK,
        SKIPPED,
        WRONG;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Enough for usual statements and values. */
    private static final int SHOWN_CHARACTERS = 1_000;

    private static final int SHOWN_ROWS = 100;

    /** In bytes, most file systems allow 255. */
    private static final int LONGEST_FILE_NAME = 120;

    private final String name;

    private final Path file;

    private final List<String> sections = new ArrayList<>();

    private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);

    private final List<Run> runs = new ArrayList<>();

    private @Nullable Baseline baseline;

    private int unbroken;

    Report(Class<?> testClass, Method scenario) {
        this.name = testClass.getSimpleName() + "." + scenario.getName();
        this.file = FOLDER.resolve(fileName(testClass.getName() + "." + scenario.getName()) + ".html");
    }

    /** A name in Kotlin may have characters, and a length, that no file may have. */
    private static String fileName(String ofScenario) {
        String safe = ofScenario.replaceAll("[^\\p{L}\\p{N}._$-]", "_");
        safe = safe.substring(Math.max(0, safe.length() - LONGEST_FILE_NAME));
        return safe.equals(ofScenario) ? safe : safe + "-" + Integer.toHexString(ofScenario.hashCode());
    }

    /** Shortens a long text, and tells it from others. */
    static String shortened(String text) {
        return text.length() <= SHOWN_CHARACTERS
                ? text
                : "%s... (%s characters with the hash %s)"
                        .formatted(
                                text.substring(0, SHOWN_CHARACTERS),
                                text.length(),
                                Integer.toHexString(text.hashCode()));
    }

    static String shortened(Map<String, String> values) {
        Map<String, String> shown = new LinkedHashMap<>(values);
        shown.replaceAll((name, value) -> shortened(value));
        return shown.toString();
    }

    static <T> String shortened(List<T> all, String separator, Function<T, String> line) {
        return all.stream().limit(SHOWN_ROWS).map(line).collect(Collectors.joining(separator))
                + (all.size() <= SHOWN_ROWS ? "" : separator + "and " + (all.size() - SHOWN_ROWS) + " more");
    }

    void baseline(Baseline usual) {
        baseline = usual;
    }

    /** Notes how many statements of loops are not broken. */
    void unbroken(int statements) {
        unbroken = statements;
    }

    /** Adds a run of the test that is running. */
    void add(Run run) {
        runs.add(run);
    }

    /** Ends the test whose runs have been added. */
    void add(String test, Verdict verdict, String message) {
        counts.merge(verdict, 1, Integer::sum);
        sections.add("<details%s><summary><span class=%s>%s</span> %s</summary>\n%s%s</details>"
                .formatted(
                        verdict == Verdict.WRONG ? " open" : "",
                        verdict.text(),
                        verdict.text(),
                        text(test),
                        message.isEmpty() ? "" : "<pre class=" + verdict.text() + ">" + text(message) + "</pre>\n",
                        runs.stream()
                                .map(run -> statements(run) + changes(run) + answers(run))
                                .collect(Collectors.joining("<hr>\n"))));
        runs.clear();
    }

    int count(Verdict verdict) {
        return counts.getOrDefault(verdict, 0);
    }

    Path file() {
        return file;
    }

    void write() throws IOException {
        Files.createDirectories(FOLDER);
        Files.writeString(file, PAGE.formatted(text(name), summary(), String.join("\n", sections)));
    }

    private String summary() {
        String all = count(Verdict.WRONG) == 0
                ? "Idempotent in " + count(Verdict.OK) + " of " + sections.size() + " tests"
                : "Not idempotent: " + count(Verdict.WRONG) + " of " + sections.size() + " tests are wrong";
        return all
                + (count(Verdict.SKIPPED) == 0 ? "." : "; " + count(Verdict.SKIPPED) + " were skipped.")
                + (unbroken == 0
                        ? ""
                        : " Of the statements that a loop sends, the first, one in the middle and the last were broken, and "
                                + unbroken + " were not.")
                + (baseline == null || baseline.notCompared().isEmpty()
                        ? ""
                        : " Not compared, because they differ without a fault: "
                                + text(String.join(", ", baseline.notCompared())) + ".")
                + (baseline == null || baseline.comparedInRun().isEmpty()
                        ? ""
                        : " Compared only with the other answers of a run, because they differ without a fault: "
                                + text(String.join(", ", baseline.comparedInRun())) + ".");
    }

    private static String statements(Run run) {
        StringJoiner rows = new StringJoiner(
                "\n", "<table><tr><th>call<th>" + run.millis() + " ms<th>at<th>transaction\n", "</table>\n");
        for (RecordedStatement statement : run.statements()) {
            StatementRecorder.Strike strike = run.strike();
            boolean isStruck = run.struck() && strike != null && strike.isAt(statement);
            rows.add("<tr" + (statement.kind() == RecordedStatement.Kind.LIBRARY ? " class=library" : "") + "><td>"
                    + statement.call() + "<td><code>"
                    + text(shortened(statement.sql().strip())) + "</code>"
                    + (isStruck && strike != null
                            ? " <span class=struck>&#9889; "
                                    + text(strike.fault().description()) + "</span>"
                            : "")
                    + "<td>"
                    + (statement.place() == null ? "" : text(statement.place().toString())) + "<td>"
                    + text(statement.transaction()) + (statement.autoCommit() ? " (auto-commit)" : ""));
        }
        return rows.toString();
    }

    private String changes(Run run) {
        List<Change> effects = baseline == null ? run.changes() : baseline.effects(run.changes());
        return "<table><tr><th>committed<th>row<th>transaction\n<tr><td>"
                + shortened(
                        effects,
                        "\n<tr><td>",
                        change -> change.operation() + "<td><code>" + text(change.table()) + " "
                                + text(shortened(change.columns())) + "</code><td>" + change.transaction())
                + "</table>\n";
    }

    private static String answers(Run run) {
        return "<p>Answers: <code>"
                + run.answers().stream()
                        .map(answer -> text(shortened(answer)))
                        .distinct()
                        .collect(Collectors.joining("</code>, <code>"))
                + "</code></p>\n"
                + run.failures().stream()
                        .map(failure ->
                                "<p>A caller got <code>" + text(shortened(failure.toString())) + "</code></p>\n")
                        .collect(Collectors.joining());
    }

    private static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
