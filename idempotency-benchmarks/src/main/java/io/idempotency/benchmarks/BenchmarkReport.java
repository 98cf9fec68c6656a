package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Values of several rounds: as CSV with every value, and as Markdown tables with medians and ratios. */
final class BenchmarkReport {

    private final Map<Measure, Map<String, List<Double>>> values = new LinkedHashMap<>();

    /** One value of one round. */
    void add(Measure measure, String contender, double value) {
        values.computeIfAbsent(measure, first -> new LinkedHashMap<>())
                .computeIfAbsent(contender, first -> new ArrayList<>())
                .add(value);
    }

    void writeCsv(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("measure,unit,contender,round,value");
        values.forEach((measure, byContender) -> byContender.forEach((contender, rounds) -> {
            for (int i = 0; i < rounds.size(); i++) {
                lines.add(String.format(
                        Locale.ROOT,
                        "\"%s\",\"%s\",\"%s\",%d,%.3f",
                        measure.name(),
                        measure.unit(),
                        contender,
                        i + 1,
                        rounds.get(i)));
            }
        }));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
    }

    /**
     * Prints a table for each measure.
     *
     * @param base whose value is 1.00; of another one that measure's first
     */
    void printMarkdown(PrintStream out, String base) {
        values.forEach((measure, byContender) -> {
            String reference = byContender.containsKey(base)
                    ? base
                    : byContender.keySet().iterator().next();
            double one = Median.of(byContender.getOrDefault(reference, List.of()));
            out.printf("%n### %s (%s)%n%n", measure.name(), measure.unit());
            out.printf("| | median | min | max | ratio to %s |%n|---|---|---|---|---|%n", reference);
            byContender.forEach((contender, rounds) -> out.printf(
                    Locale.ROOT,
                    "| %s | %,.1f | %,.1f | %,.1f | %.2f |%n",
                    contender,
                    Median.of(rounds),
                    rounds.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN),
                    rounds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN),
                    Median.of(rounds) / one));
        });
    }

    /** What is measured, and in what. */
    record Measure(String name, String unit) {}
}
