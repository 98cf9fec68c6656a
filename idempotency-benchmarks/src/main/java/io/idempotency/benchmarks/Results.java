package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The measurements of all rounds, and what follows from them. */
final class Results {

    private final Map<Line, List<Measurement>> rounds = new LinkedHashMap<>();

    private final Map<Line, Double> deadTuples = new LinkedHashMap<>();

    private final Map<Group, String> bases = new LinkedHashMap<>();

    /** Measurements of one round of a group must be added before those of the next one. */
    void add(Line line, Measurement measurement) {
        rounds.computeIfAbsent(line, first -> new ArrayList<>()).add(measurement);
    }

    /** Row versions that one operation leaves dead; the same with any number of threads. */
    void deadTuples(Group group, String contender, double each) {
        deadTuples.put(new Line(group, contender, 0), each);
    }

    /** Whose ratio is 1. */
    void base(Group group, String contender) {
        bases.put(group, contender);
    }

    List<Line> lines() {
        return List.copyOf(rounds.keySet());
    }

    List<Group> groups() {
        return rounds.keySet().stream().map(Line::group).distinct().toList();
    }

    List<Measurement> roundsOf(Line line) {
        return rounds.getOrDefault(line, List.of());
    }

    double median(Line line, ToDoubleFunction<Measurement> value) {
        return Median.of(values(line, value));
    }

    List<Double> values(Line line, ToDoubleFunction<Measurement> value) {
        return roundsOf(line).stream().map(value::applyAsDouble).toList();
    }

    double deadTuples(Line line) {
        return deadTuples.getOrDefault(new Line(line.group(), line.contender(), 0), Double.NaN);
    }

    String base(Group group) {
        return bases.getOrDefault(group, "");
    }

    double ratio(Line line) {
        return ratio(line, base(line.group()));
    }

    /**
     * Throughput over that of another contender: the median of the ratios of each round, because what disturbs the machine
     * for a while disturbs both. NaN if that one was not measured.
     */
    double ratio(Line line, String base) {
        List<Measurement> others = roundsOf(new Line(line.group(), base, line.threads()));
        List<Measurement> own = roundsOf(line);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(own.size(), others.size()); i++) {
            ratios.add(own.get(i).opsPerSecond() / others.get(i).opsPerSecond());
        }
        return Median.of(ratios);
    }

    /**
     * What is compared with each other.
     *
     * @param job see {@link JobName}
     * @param variant see {@link Variant#name()}
     */
    record Group(String job, String variant) {}

    /**
     * A line of the results.
     *
     * @param threads that called at once
     */
    record Line(Group group, String contender, int threads) {}
}
