package io.idempotency.benchmarks;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

import io.idempotency.benchmarks.batch.BatchJob;
import io.idempotency.benchmarks.call.CallJobs;
import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.Job;
import io.idempotency.benchmarks.harness.Options;
import io.idempotency.benchmarks.harness.Rounds;
import io.idempotency.benchmarks.outbox.RelayJob;

/** Measures calls, batches of messages and the outbox, and prints tables in Markdown. */
public final class Benchmark {

    private Benchmark() {}

    /**
     * Runs it.
     *
     * @param arguments see {@code docs/performance.md}
     * @throws Exception if anything fails
     */
    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException refused) {
            System.err.println(refused.getMessage());
            System.err.println("See docs/performance.md for the options.");
            System.exit(2);
            return;
        }
        run(options, System.out);
    }

    static void run(Options options, PrintStream out) throws Exception {
        try (BenchmarkServer server = new BenchmarkServer(options.jdbcUrl(), options.mostThreads());
                Rounds rounds = new Rounds(options, server)) {
            out.printf(
                    Locale.ROOT,
                    "PostgreSQL %s, fsync %s, synchronous_commit %s; %s on %s, %d processors, Java %s; "
                            + "%d rounds of %d ms, each round trip %d us longer%n",
                    server.setting("server_version"),
                    server.setting("fsync"),
                    server.setting("synchronous_commit"),
                    System.getProperty("os.name"),
                    System.getProperty("os.arch"),
                    Runtime.getRuntime().availableProcessors(),
                    System.getProperty("java.version"),
                    options.rounds(),
                    options.slot().toMillis(),
                    options.delay().toNanos() / 1_000);
            for (Job job : options.jobs()) {
                out.println();
                measure(job, server, rounds, options).forEach(out::println);
            }
        }
    }

    private static List<String> measure(Job job, BenchmarkServer server, Rounds rounds, Options options)
            throws Exception {
        return switch (job) {
            case NEW_KEY -> CallJobs.newKeys(server, rounds).markdown();
            case REPEATED_KEY -> CallJobs.repeatedKeys(server, rounds).markdown();
            case UNSEEN_KEY -> CallJobs.unseenKeys(server, rounds, options).markdown();
            case STEPS -> CallJobs.steps(server, rounds).markdown();
            case INBOX_BATCH -> BatchJob.newMessages(server, rounds).markdown();
            case RELAY -> RelayJob.measure(server, options);
        };
    }
}
