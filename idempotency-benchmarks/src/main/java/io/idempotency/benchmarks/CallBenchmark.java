package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.LongFunction;

import io.idempotency.benchmarks.Results.Group;
import io.idempotency.benchmarks.Results.Line;
import io.idempotency.benchmarks.micro.MicroBenchmarks;

/**
 * Calls and messages beside plain transactions, beside what one would write by hand, and beside other libraries, in turns in
 * one process. Writes {@code results.csv} and more, and prints tables.
 */
public final class CallBenchmark {

    private static final String MICRO = "--micro";

    private static final long ROWS_AT_ONCE = 250_000;

    /**
     * The first change of a page after a checkpoint writes the whole of it to the WAL. So that this does not happen in the
     * first seconds of what is measured, so great a part of the rows comes after the checkpoint.
     */
    private static final long PART_AFTER_CHECKPOINT = 20;

    private final Options options;

    private final PrintStream out;

    private final Variant variant;

    private final Results results = new Results();

    private CallBenchmark(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.variant = Variant.of(options.linkDelay());
    }

    /**
     * Runs it.
     *
     * @param arguments see {@code --help}
     * @throws Exception if anything fails
     */
    public static void main(String[] arguments) throws Exception {
        List<String> given = new ArrayList<>(List.of(arguments));
        if (given.contains("--help")) {
            System.out.println(Options.USAGE);
            return;
        }
        boolean micro = given.remove(MICRO);
        try {
            Options options = Options.parse(given, defaultOutput());
            if (micro) {
                MicroBenchmarks.run(options.output(), given.contains("--quick"));
            } else {
                run(options, System.out);
            }
        } catch (IllegalArgumentException refused) {
            System.err.println(refused.getMessage());
            System.err.println(Options.USAGE);
            System.exit(2);
        }
    }

    /** Beside the classes or the jar, wherever it was started from. */
    private static Path defaultOutput() throws URISyntaxException {
        Path code = Path.of(CallBenchmark.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return code.resolveSibling("benchmark");
    }

    static void run(Options options, PrintStream out) throws Exception {
        new CallBenchmark(options, out).run();
    }

    private void run() throws Exception {
        try (BenchmarkServer server = new BenchmarkServer(options.jdbcUrl(), options.linkDelay());
                ServerCosts costs = new ServerCosts(server);
                LoadGenerator load = new LoadGenerator(costs, options.mostThreads());
                RaceJob race = new RaceJob(costs)) {
            int callers = Math.max(RaceJob.CALLERS, options.mostThreads());
            server.requireConnections(Contenders.count() * (options.mostThreads() + 2)
                    + (options.jobs().contains(JobName.RACE) ? 3 * RaceJob.CALLERS : 0));
            List<String> surroundings = surroundings(server);
            // Some libraries need two connections for a call.
            try (Contenders contenders = new Contenders(new ContenderSetup(server, 2 * callers), options)) {
                Rounds rounds = new Rounds(options, results, load, costs, server);
                for (String job : options.jobs()) {
                    run(job, contenders, rounds, race);
                }
                report(surroundings, contenders);
            }
        }
    }

    private static List<String> surroundings(BenchmarkServer server) throws Exception {
        return List.of(
                "PostgreSQL " + server.setting("server_version") + ", fsync " + server.setting("fsync")
                        + ", synchronous_commit " + server.setting("synchronous_commit") + ", shared_buffers "
                        + server.setting("shared_buffers"),
                String.format(
                        Locale.ROOT,
                        "%s %s on %s, %d processors, Java %s",
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("java.version")),
                String.format(Locale.ROOT, "An empty round trip takes %.0f us", server.roundTripMicros()));
    }

    private void run(String job, Contenders contenders, Rounds rounds, RaceJob race) throws Exception {
        out.printf("%tT Measuring %s%n", LocalTime.now(ZoneId.systemDefault()), job);
        switch (job) {
            case JobName.NEW_KEY -> {
                newKeys(contenders, rounds);
                for (int bytes : options.responseBytes()) {
                    newKeys(contenders, rounds, bytes);
                }
            }
            case JobName.REPEATED_KEY -> {
                repeatedKeys(contenders, rounds);
                for (int bytes : options.responseBytes()) {
                    repeatedKeys(contenders, rounds, bytes);
                }
            }
            case JobName.INBOX_BATCH -> inboxBatches(contenders, rounds);
            case JobName.RACE -> races(contenders, rounds, race);
            case JobName.GROWTH -> growth(contenders, rounds);
            default -> throw new IllegalArgumentException("There is no job " + job);
        }
    }

    private void newKeys(Contenders contenders, Rounds rounds) throws Exception {
        List<Entrant> entrants = entrants(
                contenders.get(
                        CallContender.class,
                        PlainContender.NAME,
                        PlainContender.ONE_ROUND_TRIP_MORE,
                        PlainContender.TWO_ROUND_TRIPS_MORE,
                        HandWrittenContender.NAME,
                        "hand-written-pipelined",
                        "hand-written-for-update",
                        "floor",
                        StarterContender.NAME,
                        StarterContender.PIPELINED,
                        "starter-void",
                        "starter-programmatic",
                        "inbox",
                        "spring-integration-jdbc",
                        "camel-sql",
                        "transactionoutbox-spring"),
                CallContender::newKey);
        Group group = new Group(JobName.NEW_KEY, variant.name());
        rounds.countDeadTuples(group, entrants);
        rounds.measure(group, PlainContender.NAME, entrants, options.threads());
    }

    private void newKeys(Contenders contenders, Rounds rounds, int responseBytes) throws Exception {
        List<CallContender> some = contenders.get(
                CallContender.class, PlainContender.NAME, HandWrittenContender.NAME, StarterContender.NAME);
        some.forEach(contender -> contender.settings.responseBytes(responseBytes));
        rounds.measure(
                new Group(
                        JobName.NEW_KEY,
                        variant.withResponseBytes(responseBytes).name()),
                PlainContender.NAME,
                entrants(some, CallContender::newKey),
                severalThreads());
        some.forEach(contender -> contender.settings.responseBytes(Receipt.USUAL_BYTES));
    }

    private void repeatedKeys(Contenders contenders, Rounds rounds) throws Exception {
        List<Entrant> entrants = entrants(
                contenders.get(
                        CallContender.class,
                        SelectContender.NAME,
                        HandWrittenContender.NAME,
                        "hand-written-for-update",
                        StarterContender.NAME,
                        StarterContender.PIPELINED,
                        "starter-void",
                        "starter-programmatic",
                        "inbox"),
                contender -> contender.repeatedKey(options.repeatedKeys()));
        Group group = new Group(JobName.REPEATED_KEY, variant.name());
        rounds.countDeadTuples(group, entrants);
        rounds.measure(group, SelectContender.NAME, entrants, options.threads());
    }

    private void repeatedKeys(Contenders contenders, Rounds rounds, int responseBytes) throws Exception {
        List<CallContender> some = replaying(contenders);
        some.forEach(contender -> contender.settings.responseBytes(responseBytes));
        rounds.measure(
                new Group(
                        JobName.REPEATED_KEY,
                        variant.withResponseBytes(responseBytes).name()),
                SelectContender.NAME,
                entrants(some, contender -> contender.repeatedKey(options.repeatedKeys())),
                severalThreads());
        some.forEach(contender -> contender.settings.responseBytes(Receipt.USUAL_BYTES));
    }

    private static List<CallContender> replaying(Contenders contenders) {
        return contenders.get(
                CallContender.class, SelectContender.NAME, HandWrittenContender.NAME, StarterContender.NAME);
    }

    private void inboxBatches(Contenders contenders, Rounds rounds) throws Exception {
        List<Entrant> usual = batches(contenders, variant);
        rounds.countDeadTuples(new Group(JobName.INBOX_BATCH, variant.name()), usual);
        inboxBatches(usual, rounds, variant, options.threads());
        for (Variant further : List.of(variant.withRandomIds(), variant.withBatchedEffects())) {
            inboxBatches(batches(contenders, further), rounds, further, severalThreads());
        }
    }

    private static void inboxBatches(List<Entrant> entrants, Rounds rounds, Variant measured, List<Integer> threads)
            throws Exception {
        rounds.measure(new Group(JobName.INBOX_BATCH, measured.name()), PlainBatchContender.NAME, entrants, threads);
    }

    private static List<Entrant> batches(Contenders contenders, Variant measured) throws Exception {
        LongFunction<String> idOf = measured.randomIds() ? Keys::called : Keys::timeOrdered;
        List<Entrant> entrants = new ArrayList<>();
        for (BatchContender contender : contenders.get(
                BatchContender.class,
                PlainBatchContender.NAME,
                "hand-written-batch-500",
                "floor-batch-500",
                "starter-batch-500")) {
            contender.settings.batched(measured.batched());
            contender.clear();
            entrants.add(new Entrant(contender, contender.newBatch(idOf), BatchContender.SIZE));
        }
        return entrants;
    }

    private void races(Contenders contenders, Rounds rounds, RaceJob race) throws Exception {
        List<CallContender> racing = contenders.get(
                CallContender.class, HandWrittenContender.NAME, StarterContender.NAME, Contenders.STARTER_INSTANCES);
        Group group = new Group(JobName.RACE, variant.name());
        results.base(group, HandWrittenContender.NAME);
        for (CallContender contender : racing) {
            race.run(contender, 1);
        }
        rounds.inTurns(
                racing,
                contender -> results.add(
                        new Line(group, contender.name(), RaceJob.CALLERS), race.run(contender, options.races())));
    }

    /** With more than one thread: a table that has grown costs what all threads wait for. */
    private List<Integer> severalThreads() {
        List<Integer> several =
                options.threads().stream().filter(count -> count > 1).toList();
        return several.isEmpty() ? options.threads() : several;
    }

    private void growth(Contenders contenders, Rounds rounds) throws Exception {
        List<CallContender> calling = contenders.get(
                CallContender.class, PlainContender.NAME, HandWrittenContender.NAME, StarterContender.NAME);
        List<CallContender> replaying = replaying(contenders);
        for (CallContender contender : replaying) {
            contender.clear();
            contender.pay(Growing.PROTOTYPE_KEY, Growing.PROTOTYPE);
        }
        long before = 0;
        for (long rows : options.rows()) {
            for (CallContender contender : replaying) {
                grow(contender, before, rows);
            }
            String name = variant.withRows(rows).name();
            rounds.measure(
                    new Group(JobName.GROWTH, name),
                    PlainContender.NAME,
                    entrants(calling, CallContender::newKey),
                    severalThreads());
            rounds.measure(
                    new Group(JobName.REPEATED_KEY, name),
                    SelectContender.NAME,
                    entrants(
                            replaying,
                            contender -> rows == 0
                                    ? contender.repeatedKey(options.repeatedKeys())
                                    : Growing.repeats(contender, rows)),
                    severalThreads());
            before = rows;
        }
        replaying.forEach(Contender::clear);
    }

    private void grow(CallContender contender, long from, long to) {
        if (from == to || !(contender instanceof Growing growing)) {
            return;
        }
        out.printf(Locale.ROOT, "Filling the table of %s up to %,d rows%n", contender.name(), to);
        long beforeCheckpoint = to - (to - from) / PART_AFTER_CHECKPOINT;
        grow(growing, from, beforeCheckpoint);
        contender.settle();
        contender.admin.execute("checkpoint");
        grow(growing, beforeCheckpoint, to);
        contender.settle();
    }

    private static void grow(Growing contender, long from, long to) {
        for (long first = from; first < to; first += ROWS_AT_ONCE) {
            contender.grow(first, Math.min(to, first + ROWS_AT_ONCE));
        }
    }

    private static List<Entrant> entrants(
            List<CallContender> contenders, Function<CallContender, Operation> operation) {
        return contenders.stream()
                .map(contender -> new Entrant(contender, operation.apply(contender)))
                .toList();
    }

    private void report(List<String> surroundings, Contenders contenders) throws IOException {
        ResultsCsv.write(results, options.output());
        Charts.write(results, options.output());
        List<String> report = new ArrayList<>();
        surroundings.forEach(line -> report.add("* " + line));
        report.add("* " + options.rounds() + " rounds of " + options.slot().toMillis() + " ms");
        report.add("");
        report.addAll(ResultsTable.of(results, contenders.notes()));
        Files.write(options.output().resolve("results.md"), report);
        report.forEach(out::println);
        out.println("All files: " + options.output().toAbsolutePath());
    }
}
