package io.idempotency.benchmarks;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.idempotency.benchmarks.Results.Group;
import io.idempotency.benchmarks.Results.Line;

/** Turns of the entrants of a job, one after the other, in another order in every round. */
final class Rounds {

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** As a part of a turn. */
    private static final double MOST_COMPILING_AT_REST = 0.05;

    private static final int CALLS_TO_COUNT_DEAD_TUPLES_OF = 40;

    private final Options options;

    private final Results results;

    private final LoadGenerator load;

    private final ServerCosts costs;

    private final BenchmarkServer server;

    Rounds(Options options, Results results, LoadGenerator load, ServerCosts costs, BenchmarkServer server) {
        this.options = options;
        this.results = results;
        this.load = load;
        this.costs = costs;
        this.server = server;
    }

    /**
     * Measures them.
     *
     * @param base whose ratio is 1
     */
    void measure(Group group, String base, List<Entrant> entrants, List<Integer> threads) throws Exception {
        results.base(group, base);
        // Over a slow link so few calls are made that their code would be measured before it is compiled.
        server.withoutLinkDelay(() -> {
            for (Entrant entrant : entrants) {
                warmUp(entrant);
            }
        });
        for (int count : threads) {
            inTurns(entrants, entrant -> {
                Measurement measurement = load.run(entrant.operation(), entrant.items(), count, options.slot());
                results.add(new Line(group, entrant.name(), count), measurement);
            });
        }
    }

    /** All connections of the pool come to know the statements, and the code is compiled as far as it is going to be. */
    private void warmUp(Entrant entrant) throws Exception {
        int turns = 0;
        boolean compiling;
        do {
            long before = COMPILER.getTotalCompilationTime();
            load.run(entrant.operation(), entrant.items(), options.mostThreads(), options.slot());
            long compiled = COMPILER.getTotalCompilationTime() - before;
            compiling = compiled > options.slot().toMillis() * MOST_COMPILING_AT_REST;
            turns++;
        } while (turns < options.warmUps() || (compiling && turns < options.mostWarmUps()));
    }

    void countDeadTuples(Group group, List<Entrant> entrants) throws Exception {
        Map<Entrant, Integer> operations = new LinkedHashMap<>();
        for (Entrant entrant : entrants) {
            operations.put(entrant, Math.max(1, CALLS_TO_COUNT_DEAD_TUPLES_OF / entrant.items()));
        }
        Map<Entrant, Long> dead = costs.deadTuplesOf(operations);
        operations.forEach((entrant, count) -> results.deadTuples(
                group, entrant.name(), (double) dead.getOrDefault(entrant, 0L) / count / entrant.items()));
    }

    <T> void inTurns(List<T> all, Turn<T> turn) throws Exception {
        for (int round = 0; round < options.rounds(); round++) {
            List<T> rotated = new ArrayList<>(all);
            Collections.rotate(rotated, -round);
            for (T one : rotated) {
                turn.of(one);
            }
            save();
        }
    }

    /** What was measured shall not be lost with what is not. */
    private void save() throws IOException {
        ResultsCsv.write(results, options.output());
    }

    /** What is done in a turn. */
    @FunctionalInterface
    interface Turn<T> {

        void of(T one) throws Exception;
    }
}
