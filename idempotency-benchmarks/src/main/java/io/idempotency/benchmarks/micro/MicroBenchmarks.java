package io.idempotency.benchmarks.micro;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs what is measured with JMH, in processes of their own. */
public final class MicroBenchmarks {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private MicroBenchmarks() {}

    /**
     * Runs them with one thread, prints what JMH prints, and writes {@code micro.csv}: microseconds and allocated bytes of
     * one call.
     *
     * @param output a directory
     * @param quick for a first impression
     * @throws Exception if anything fails
     */
    public static void run(Path output, boolean quick) throws Exception {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\.(CallMicroBenchmark|CodecMicroBenchmark)\\.")
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .timeUnit(TimeUnit.MICROSECONDS);
        if (quick) {
            options.forks(1)
                    .warmupIterations(2)
                    .warmupTime(TimeValue.milliseconds(500))
                    .measurementIterations(2)
                    .measurementTime(TimeValue.milliseconds(500));
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        List<String> lines = new ArrayList<>(List.of("benchmark,us_per_op,error_us,allocated_bytes"));
        for (RunResult result : results) {
            Result<?> time = result.getPrimaryResult();
            Result<?> allocated =
                    Objects.requireNonNull(result.getSecondaryResults().get(ALLOCATED));
            String name = result.getParams().getBenchmark();
            lines.add(String.format(
                    Locale.ROOT,
                    "%s,%.3f,%s,%.0f",
                    name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
                    time.getScore(),
                    errorOf(time),
                    allocated.getScore()));
        }
        Files.createDirectories(output);
        Files.write(output.resolve("micro.csv"), lines);
    }

    /** Empty if there were too few iterations to tell. */
    private static String errorOf(Result<?> time) {
        return Double.isNaN(time.getScoreError()) ? "" : String.format(Locale.ROOT, "%.3f", time.getScoreError());
    }
}
