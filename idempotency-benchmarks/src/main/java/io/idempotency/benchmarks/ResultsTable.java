package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.idempotency.benchmarks.Results.Group;
import io.idempotency.benchmarks.Results.Line;

/** Results for people, as Markdown. */
final class ResultsTable {

    private static final String HAND_WRITTEN = "hand-written";

    private ResultsTable() {}

    /**
     * A table for each job and variant.
     *
     * @param notes what is to be said of a contender
     */
    static List<String> of(Results results, Map<String, String> notes) {
        List<String> lines = new ArrayList<>();
        for (Group group : results.groups()) {
            lines.add("## " + group.job() + (group.variant().equals("default") ? "" : ", " + group.variant()));
            lines.add("");
            lines.add("| contender | threads | ops/s, median | min to max | over " + results.base(group) + " | over "
                    + HAND_WRITTEN + " | p50 | p99 | WAL | round trips | dead tuples |");
            lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
            results.lines().stream()
                    .filter(line -> line.group().equals(group))
                    .sorted((one, other) -> Integer.compare(one.threads(), other.threads()))
                    .forEach(line -> lines.add(row(results, line, notes.getOrDefault(line.contender(), ""))));
            lines.add("");
        }
        return lines;
    }

    private static String row(Results results, Line line, String note) {
        List<Double> throughput = results.values(line, Measurement::opsPerSecond);
        return "| " + line.contender() + (note.isEmpty() ? "" : " (" + note + ")") + " | " + line.threads() + " | "
                + String.join(
                        " | ",
                        format("%,.0f", Median.of(throughput)),
                        format("%,.0f", Median.quantile(throughput, 0)) + " to "
                                + format("%,.0f", Median.quantile(throughput, 1)),
                        format("%.2f", results.ratio(line)),
                        format("%.2f", results.ratio(line, HAND_WRITTEN)),
                        format("%,.0f us", results.median(line, Measurement::p50Micros)),
                        format("%,.0f us", results.median(line, Measurement::p99Micros)),
                        format("%,.0f B", results.median(line, Measurement::walBytes)),
                        format("%.2f", results.median(line, Measurement::roundTrips)),
                        format("%.2f", results.deadTuples(line)))
                + " |";
    }

    private static String format(String pattern, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, pattern, value) : "";
    }
}
