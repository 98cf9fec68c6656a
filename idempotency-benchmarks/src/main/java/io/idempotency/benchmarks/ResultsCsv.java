package io.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.idempotency.benchmarks.Results.Line;

/** Results for programs: medians over the rounds in one file, every round in another. What is not known is left empty. */
final class ResultsCsv {

    static final String HEADER =
            "job,variant,contender,threads,ops_per_s,ratio,p50_us,p99_us,wal_bytes,round_trips,dead_tuples";

    static final String ROUNDS_HEADER =
            "job,variant,contender,threads,round,ops_per_s,p50_us,p99_us,wal_bytes,round_trips";

    private ResultsCsv() {}

    static void write(Results results, Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.write(directory.resolve("results.csv"), medians(results));
        Files.write(directory.resolve("rounds.csv"), rounds(results));
    }

    static List<String> medians(Results results) {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (Line line : results.lines()) {
            lines.add(String.join(
                    ",",
                    key(line),
                    decimal(results.median(line, Measurement::opsPerSecond), 1),
                    decimal(results.ratio(line), 3),
                    decimal(results.median(line, Measurement::p50Micros), 1),
                    decimal(results.median(line, Measurement::p99Micros), 1),
                    decimal(results.median(line, Measurement::walBytes), 1),
                    decimal(results.median(line, Measurement::roundTrips), 3),
                    decimal(results.deadTuples(line), 3)));
        }
        return lines;
    }

    private static List<String> rounds(Results results) {
        List<String> lines = new ArrayList<>(List.of(ROUNDS_HEADER));
        for (Line line : results.lines()) {
            int round = 1;
            for (Measurement measurement : results.roundsOf(line)) {
                lines.add(String.join(
                        ",",
                        key(line),
                        Integer.toString(round++),
                        decimal(measurement.opsPerSecond(), 1),
                        decimal(measurement.p50Micros(), 1),
                        decimal(measurement.p99Micros(), 1),
                        decimal(measurement.walBytes(), 1),
                        decimal(measurement.roundTrips(), 3)));
            }
        }
        return lines;
    }

    private static String key(Line line) {
        return String.join(
                ",", line.group().job(), line.group().variant(), line.contender(), Integer.toString(line.threads()));
    }

    private static String decimal(double value, int digits) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + digits + "f", value) : "";
    }
}
