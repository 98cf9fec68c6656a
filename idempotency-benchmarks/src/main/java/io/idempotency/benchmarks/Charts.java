package io.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.idempotency.benchmarks.Results.Group;
import io.idempotency.benchmarks.Results.Line;

/** A chart of the throughput of each job and variant. */
final class Charts {

    private Charts() {}

    static void write(Results results, Path directory) throws IOException {
        for (Group group : results.groups()) {
            List<Line> lines = results.lines().stream()
                    .filter(line -> line.group().equals(group))
                    .toList();
            BarChart chart = new BarChart(
                    group.job() + ", " + group.variant() + ": median, and least to most of the rounds", "ops/s");
            for (int threads :
                    lines.stream().map(Line::threads).distinct().sorted().toList()) {
                lines.stream().filter(line -> line.threads() == threads).forEach(line -> {
                    List<Double> throughput = results.values(line, Measurement::opsPerSecond);
                    chart.add(
                            line.contender() + ", " + threads + (threads == 1 ? " thread" : " threads"),
                            Median.of(throughput),
                            Median.quantile(throughput, 0),
                            Median.quantile(throughput, 1));
                });
            }
            String name = group.job() + (group.variant().equals("default") ? "" : "-" + group.variant());
            chart.write(directory.resolve(name.replaceAll("[^A-Za-z0-9.-]+", "-") + ".svg"));
        }
    }
}
