package io.idempotency.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.idempotency.benchmarks.BenchmarkReport.Measure;

/**
 * Throughput and latency of the outbox beside other libraries of Maven Central, in turns in one process. Prints tables, and
 * writes {@code target/benchmark/outbox.csv}.
 */
public final class OutboxBenchmark {

    private static final Measure END_TO_END = new Measure("Published by 4 threads and delivered", "messages/s");

    private static final Measure PUBLISHED = new Measure("Published by 4 threads, delivery going on", "transactions/s");

    private static final Measure P50 = new Measure("Commit to delivery at 100/s, p50", "ms");

    private static final Measure P99 = new Measure("Commit to delivery at 100/s, p99", "ms");

    private static final Measure DRAIN = new Measure("Backlog, drained", "messages/s");

    private static final Measure GROWN = new Measure("Backlog, drained beside many delivered messages", "messages/s");

    private static final Path CSV = Path.of("target", "benchmark", "outbox.csv");

    private static final String ONLY = "--only=";

    private static final int PUBLISHERS = 4;

    private static final Duration PACE = Duration.ofMillis(10);

    private final Sizes sizes;

    private final String only;

    private final BenchmarkReport report = new BenchmarkReport();

    private OutboxBenchmark(Sizes sizes, String only) {
        this.sizes = sizes;
        this.only = only;
    }

    /**
     * Runs it.
     *
     * @param arguments {@code --quick} for a first impression within a minute, {@code --only=name} for the contenders
     *     whose name contains that, to profile them
     * @throws Exception if anything fails
     */
    public static void main(String[] arguments) throws Exception {
        List<String> options = List.of(arguments);
        String only = options.stream()
                .filter(option -> option.startsWith(ONLY))
                .map(option -> option.substring(ONLY.length()))
                .findFirst()
                .orElse("");
        new OutboxBenchmark(options.contains("--quick") ? Sizes.QUICK : Sizes.NORMAL, only).run();
    }

    private void run() throws Exception {
        try (BenchmarkServer server = new BenchmarkServer();
                OutboxContender woken =
                        library("outbox, handler", "woken", server, true, LibraryOutbox.Handler.class, 1_000);
                OutboxContender polling = library(
                        "outbox, handler, polling 1 s", "polling", server, false, LibraryOutbox.Handler.class, 1_000);
                OutboxContender pollingOften = library(
                        "outbox, handler, polling 100 ms",
                        "polling_often",
                        server,
                        false,
                        LibraryOutbox.Handler.class,
                        100);
                OutboxContender noOp =
                        library("outbox, no-op sender", "no_op", server, true, LibraryOutbox.NoOp.class, 1_000);
                OutboxContender modulith = new ModulithOutbox("modulith", server);
                OutboxContender transactionOutbox = new TransactionOutboxContender("transaction_outbox", server)) {
            List<OutboxContender> all = List.of(woken, polling, noOp, modulith, transactionOutbox);
            warmUp(List.of(woken, polling, pollingOften, noOp, modulith, transactionOutbox));
            inTurns(all, this::measureThroughput);
            inTurns(List.of(woken, polling, pollingOften, noOp, modulith, transactionOutbox), this::measureLatency);
            inTurns(List.of(woken, noOp, modulith, transactionOutbox), contender -> drain(contender, 1, DRAIN, ""));
            inTurns(List.of(woken, noOp), contender -> drain(contender, 2, DRAIN, ", 2 relays"));
            List<OutboxContender> growing = List.of(woken, noOp, modulith);
            for (OutboxContender contender : growing) {
                contender.clear();
                contender.insertDelivered(sizes.delivered());
            }
            inTurns(growing, this::drainGrown);
            report.printMarkdown(System.out, modulith.name());
            System.out.printf("%nEvery round: %s%n", CSV.toAbsolutePath());
        }
    }

    private static OutboxContender library(
            String name, String database, BenchmarkServer server, boolean wakes, Class<?> receiver, int pollMillis) {
        return new LibraryOutbox(name, database, server, wakes, receiver, Duration.ofMillis(pollMillis));
    }

    private void warmUp(List<OutboxContender> contenders) throws Exception {
        for (OutboxContender contender : contenders) {
            publishAndDeliver(contender, sizes.warmUp());
        }
    }

    private void inTurns(List<OutboxContender> contenders, Measurement measurement) throws Exception {
        for (int round = 0; round < sizes.rounds(); round++) {
            List<OutboxContender> rotated = new ArrayList<>(contenders);
            rotated.removeIf(contender -> !contender.name().contains(only));
            Collections.rotate(rotated, round);
            for (OutboxContender contender : rotated) {
                measurement.of(contender);
                // What was measured shall not be lost with what is not.
                report.writeCsv(CSV);
            }
        }
    }

    private void measureThroughput(OutboxContender contender) throws Exception {
        Rates rates = publishAndDeliver(contender, sizes.messages());
        report.add(PUBLISHED, contender.name(), rates.published());
        report.add(END_TO_END, contender.name(), rates.delivered());
    }

    private static Rates publishAndDeliver(OutboxContender contender, int messages) throws Exception {
        contender.clear();
        contender.deliveries().expect(messages);
        contender.start(1);
        AtomicInteger next = new AtomicInteger();
        ExecutorService publishers = Executors.newFixedThreadPool(PUBLISHERS);
        long start = System.nanoTime();
        List<Future<?>> published = new ArrayList<>();
        for (int i = 0; i < PUBLISHERS; i++) {
            published.add(publishers.submit(() -> {
                for (int number = next.getAndIncrement(); number < messages; number = next.getAndIncrement()) {
                    contender.pay(Payment.of(number));
                }
            }));
        }
        for (Future<?> publisher : published) {
            publisher.get();
        }
        double publishing = secondsSince(start);
        contender.awaitIdle();
        double delivering = secondsSince(start);
        publishers.shutdown();
        contender.stop();
        return new Rates(messages / publishing, messages / delivering);
    }

    private void measureLatency(OutboxContender contender) throws Exception {
        contender.clear();
        contender.deliveries().expect(sizes.paced());
        contender.start(1);
        long start = System.nanoTime();
        for (int i = 0; i < sizes.paced(); i++) {
            long wait = start + i * PACE.toNanos() - System.nanoTime();
            while (wait > 0) {
                LockSupport.parkNanos(wait);
                wait = start + i * PACE.toNanos() - System.nanoTime();
            }
            contender.pay(Payment.of(i));
        }
        contender.awaitIdle();
        contender.stop();
        List<Double> latencies = contender.deliveries().latenciesInMillis();
        report.add(P50, contender.name(), Median.of(latencies));
        report.add(P99, contender.name(), Median.quantile(latencies, 0.99));
    }

    private void drain(OutboxContender contender, int relays, Measure measure, String suffix) throws Exception {
        contender.clear();
        drainBacklog(contender, relays, measure, suffix);
    }

    private void drainGrown(OutboxContender contender) throws Exception {
        drainBacklog(contender, 1, GROWN, "");
    }

    private void drainBacklog(OutboxContender contender, int relays, Measure measure, String suffix) throws Exception {
        contender.start(relays);
        contender.stop();
        contender.deliveries().expect(sizes.backlog());
        contender.insertBacklog(sizes.backlog());
        long start = System.nanoTime();
        contender.start(relays);
        contender.awaitIdle();
        report.add(measure, contender.name() + suffix, sizes.backlog() / secondsSince(start));
        contender.stop();
    }

    private static double secondsSince(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private record Rates(double published, double delivered) {}

    @FunctionalInterface
    private interface Measurement {

        void of(OutboxContender contender) throws Exception;
    }

    /**
     * How much is measured.
     *
     * @param rounds of everything
     * @param warmUp messages of each contender beforehand
     * @param messages published by all threads
     * @param paced messages at a constant rate
     * @param backlog messages that wait
     * @param delivered messages that were delivered long before
     */
    private record Sizes(int rounds, int warmUp, int messages, int paced, int backlog, int delivered) {

        private static final Sizes QUICK = new Sizes(1, 300, 1_000, 150, 1_000, 20_000);

        private static final Sizes NORMAL = new Sizes(3, 1_000, 1_500, 200, 3_000, 1_000_000);
    }
}
