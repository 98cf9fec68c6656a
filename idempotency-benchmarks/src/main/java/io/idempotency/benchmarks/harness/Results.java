package io.idempotency.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The measurements of all rounds of a job, and a table of their medians. */
public final class Results {

    private static final String HAND_WRITTEN = "hand-written";

    private final Job job;

    private final List<String> contenders;

    private final List<Integer> threads;

    private final Map<Line, List<Measurement>> rounds = new LinkedHashMap<>();

    Results(Job job, List<String> contenders, List<Integer> threads) {
        this.job = job;
        this.contenders = contenders;
        this.threads = threads;
    }

    /** Adds the turn of a contender in the next round. */
    void add(String contender, int threads, Measurement measurement) {
        rounds.computeIfAbsent(new Line(contender, threads), first -> new ArrayList<>())
                .add(measurement);
    }

    private List<Measurement> roundsOf(String contender, int threads) {
        return rounds.getOrDefault(new Line(contender, threads), List.of());
    }

    /**
     * Returns the throughput over that of another contender: the median of the ratios of each round, because what disturbs
     * the machine for a while disturbs both. NaN if that one was not measured.
     */
    double ratio(String contender, String other, int threads) {
        return Quantiles.median(ratios(contender, other, threads));
    }

    private List<Double> ratios(String contender, String other, int threads) {
        List<Measurement> own = roundsOf(contender, threads);
        List<Measurement> others = roundsOf(other, threads);
        return IntStream.range(0, Math.min(own.size(), others.size()))
                .mapToObj(i -> own.get(i).perSecond() / others.get(i).perSecond())
                .toList();
    }

    /** Returns how far half of the ratios of a contender are from their median at most, as a part of it: the noise. */
    double spread(String contender, String other, int threads) {
        List<Double> ratios = ratios(contender, other, threads);
        double median = Quantiles.median(ratios);
        return Quantiles.median(
                ratios.stream().map(ratio -> Math.abs(ratio - median) / median).toList());
    }

    /** Returns a table in Markdown; values of several numbers of threads stand beside each other. */
    public List<String> markdown() {
        List<String> lines = new ArrayList<>();
        String base = contenders.isEmpty() ? "" : contenders.get(0);
        lines.add("## " + job + ", with "
                + join(threads.stream().map(String::valueOf).toList()) + " threads");
        lines.add("");
        lines.add("| contender | a second | over `" + base + "` | over `" + HAND_WRITTEN
                + "` | p50, ms | p99, ms | JVM, us | WAL, bytes | round trips |");
        lines.add("|---|---|---|---|---|---|---|--:|--:|");
        for (String contender : contenders) {
            lines.add("| `" + contender + "` | "
                    + String.join(
                            " | ",
                            each("%,.0f", count -> median(contender, count, Measurement::perSecond)),
                            each("%.2f", count -> ratio(contender, base, count)),
                            each("%.2f", count -> ratio(contender, HAND_WRITTEN, count)),
                            each("%.2f", count -> median(contender, count, Measurement::p50Millis)),
                            each("%.2f", count -> median(contender, count, Measurement::p99Millis)),
                            each("%.0f", count -> median(contender, count, Measurement::jvmMicros)),
                            format("%,.0f", ofAllThreads(contender, Measurement::walBytes)),
                            format("%.2f", ofAllThreads(contender, Measurement::roundTrips)))
                    + " |");
        }
        lines.add("");
        lines.add("Half of the ratios to `" + base + "` lie within "
                + each(
                        "%.0f%%",
                        count -> 100
                                * contenders.stream()
                                        .mapToDouble(contender -> spread(contender, base, count))
                                        .max()
                                        .orElse(Double.NaN))
                + " of their median, of every contender.");
        return lines;
    }

    private double median(String contender, int threads, ToDoubleFunction<Measurement> value) {
        return Quantiles.median(
                roundsOf(contender, threads).stream().map(value::applyAsDouble).toList());
    }

    private double ofAllThreads(String contender, ToDoubleFunction<Measurement> value) {
        return Quantiles.median(threads.stream()
                .flatMap(count -> roundsOf(contender, count).stream())
                .map(value::applyAsDouble)
                .toList());
    }

    private String each(String pattern, ToDoubleFunction<Integer> value) {
        return join(threads.stream()
                .map(count -> format(pattern, value.applyAsDouble(count)))
                .toList());
    }

    private static String join(List<String> values) {
        return values.stream().collect(Collectors.joining(" / "));
    }

    private static String format(String pattern, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, pattern, value) : "";
    }

    private record Line(String contender, int threads) {}
}
