package io.idempotency.benchmarks.harness;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;

/** Gives every contender of a job its turn in each round, in another order each time. */
public final class Rounds implements AutoCloseable {

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** A contender whose turns need less of the compiler, as a part of the turn, is warm. */
    private static final double COMPILING_WHEN_WARM = 0.05;

    /** All connections of the pool get to prepare their statements in these. */
    private static final int FEWEST_WARM_UPS = 4;

    private final Options options;

    private final LoadGenerator load;

    private final Random random = new Random(1);

    /** Prepares the threads that call. */
    public Rounds(Options options, BenchmarkServer server) {
        this.options = options;
        this.load = new LoadGenerator(server, options.mostThreads());
    }

    /**
     * Starts, measures and closes the contenders of a job.
     *
     * @param contenders by name; the first is the one that the others are compared with
     * @throws Exception if one of them fails
     */
    public Results measure(Job job, Map<String, ? extends Callable<? extends Contender>> contenders) throws Exception {
        Map<String, Contender> started = new LinkedHashMap<>();
        try {
            for (var contender : contenders.entrySet()) {
                if (options.measures(contender.getKey())) {
                    started.put(contender.getKey(), contender.getValue().call());
                }
            }
            for (Contender contender : started.values()) {
                warmUp(contender);
            }
            RoundTrips.delay(options.delay());
            return measureStarted(job, started);
        } finally {
            RoundTrips.delay(Duration.ZERO);
            started.values().forEach(Contender::close);
        }
    }

    /** Without the delay, with which so few calls are made that their code would be measured before it is compiled. */
    private void warmUp(Contender contender) throws Exception {
        int turns = 0;
        boolean compiling;
        do {
            long before = COMPILER.getTotalCompilationTime();
            load.run(contender, options.mostThreads(), options.slot());
            long compiled = COMPILER.getTotalCompilationTime() - before;
            compiling = compiled > options.slot().toMillis() * COMPILING_WHEN_WARM;
            turns++;
        } while (turns < options.warmUps() && (compiling || turns < FEWEST_WARM_UPS));
    }

    private Results measureStarted(Job job, Map<String, Contender> contenders) throws Exception {
        Results results = new Results(job, List.copyOf(contenders.keySet()), options.threads());
        List<Map.Entry<String, Contender>> order = new ArrayList<>(contenders.entrySet());
        for (int threads : options.threads()) {
            for (int round = 0; round < options.rounds(); round++) {
                Collections.shuffle(order, random);
                for (var turn : order) {
                    results.add(turn.getKey(), threads, load.run(turn.getValue(), threads, options.slot()));
                }
            }
        }
        return results;
    }

    @Override
    public void close() {
        load.close();
    }
}
