package io.idempotency.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * What is measured, and how long.
 *
 * @param jdbcUrl of a running server; null for the embedded one
 * @param linkDelay in each direction between the contenders and the server
 * @param rounds in which every contender has its turn
 * @param slot how long a turn lasts
 * @param warmUps how many turns each contender has before the first round, at least
 * @param mostWarmUps how many it has if its code is still being compiled
 * @param threads numbers of threads that are measured one after the other
 * @param jobs what is measured
 * @param only parts of the names of the contenders that run; empty for all
 * @param races in each turn of a race
 * @param repeatedKeys among which repeats choose
 * @param rows already there, in the job growth
 * @param responseBytes of the variants of a new and of a repeated key
 * @param output directory of what is written
 */
record Options(
        @Nullable String jdbcUrl,
        Duration linkDelay,
        int rounds,
        Duration slot,
        int warmUps,
        int mostWarmUps,
        List<Integer> threads,
        List<String> jobs,
        List<String> only,
        int races,
        int repeatedKeys,
        List<Long> rows,
        List<Integer> responseBytes,
        Path output) {

    static final String USAGE = """
            Options, with what counts without them:
              --quick               all jobs with a few short rounds, in less than a minute
              --jdbc-url=URL        a running PostgreSQL, with user and password of a role that may create databases
                                    (an embedded PostgreSQL with fsync on)
              --link-delay=0.25ms   a delay in each direction between the contenders and the server (none)
              --rounds=15           in which every contender has its turn
              --slot=1s             how long a turn lasts
              --threads=1,4,8       numbers of threads
              --jobs=...            some of new-key, repeated-key, inbox-batch, race, growth (all)
              --only=TEXT,...       contenders whose names contain one of them, to profile them (all)
              --rows=0,1000000,...  rows that are there already, in the job growth (0, one and ten millions)
              --responses=200,...   bytes of the responses of further variants, or none (200, 2048 and 20480)
              --micro               what needs no database, with JMH; takes no other option but --quick and --output
              --output=DIRECTORY    of results.csv and all else (benchmark, beside the jar)
            An option and its value may also be two arguments.""";

    private static final String QUICK = "--quick";

    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)(us|ms|s)");

    private static final String NONE = "none";

    private static final int LARGEST_POOL = 64;

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException which says what is wrong
     */
    static Options parse(List<String> arguments, Path output) {
        Options options = arguments.contains(QUICK) ? quick(output) : normal(output);
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(QUICK)) {
                continue;
            }
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            if (equals < 0 && i + 1 == arguments.size()) {
                throw new IllegalArgumentException(
                        name.startsWith("--")
                                ? name + " has no value, or there is no such option"
                                : "What is " + name + "?");
            }
            options = options.with(name, equals < 0 ? arguments.get(++i) : argument.substring(equals + 1));
        }
        return options;
    }

    private static Options normal(Path output) {
        return new Options(
                null,
                Duration.ZERO,
                15,
                Duration.ofSeconds(1),
                4,
                30,
                List.of(1, 4, 8),
                JobName.ALL,
                List.of(),
                20,
                1_000,
                List.of(0L, 1_000_000L, 10_000_000L),
                List.of(200, 2_048, 20_480),
                output);
    }

    private static Options quick(Path output) {
        return new Options(
                null,
                Duration.ZERO,
                2,
                Duration.ofMillis(50),
                1,
                1,
                List.of(1, 4),
                JobName.ALL,
                List.of(),
                2,
                50,
                List.of(0L, 20_000L),
                List.of(2_048),
                output);
    }

    private Options with(String name, String value) {
        return switch (name) {
            case "--jdbc-url" ->
                copy(requireUrl(value), linkDelay, rounds, slot, threads, jobs, only, rows, responseBytes, output);
            case "--link-delay" ->
                copy(jdbcUrl, duration(name, value), rounds, slot, threads, jobs, only, rows, responseBytes, output);
            case "--rounds" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        (int) number(name, value, 1, 1_000),
                        slot,
                        threads,
                        jobs,
                        only,
                        rows,
                        responseBytes,
                        output);
            case "--slot" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        positive(name, value),
                        threads,
                        jobs,
                        only,
                        rows,
                        responseBytes,
                        output);
            case "--threads" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        slot,
                        list(value, one -> (int) number(name, one, 1, LARGEST_POOL)),
                        jobs,
                        only,
                        rows,
                        responseBytes,
                        output);
            case "--jobs" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        slot,
                        threads,
                        list(value, JobName::require),
                        only,
                        rows,
                        responseBytes,
                        output);
            case "--only" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        slot,
                        threads,
                        jobs,
                        list(value, part -> part),
                        rows,
                        responseBytes,
                        output);
            case "--rows" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        slot,
                        threads,
                        jobs,
                        only,
                        list(value, one -> number(name, one, 0, Integer.MAX_VALUE)).stream()
                                .sorted()
                                .toList(),
                        responseBytes,
                        output);
            case "--responses" ->
                copy(
                        jdbcUrl,
                        linkDelay,
                        rounds,
                        slot,
                        threads,
                        jobs,
                        only,
                        rows,
                        value.equals(NONE)
                                ? List.of()
                                : list(value, one -> (int) number(name, one, Receipt.SMALLEST_BYTES, 1_000_000)),
                        output);
            case "--output" ->
                copy(jdbcUrl, linkDelay, rounds, slot, threads, jobs, only, rows, responseBytes, Path.of(value));
            default -> throw new IllegalArgumentException("There is no option " + name);
        };
    }

    private Options copy(
            @Nullable String jdbcUrl,
            Duration linkDelay,
            int rounds,
            Duration slot,
            List<Integer> threads,
            List<String> jobs,
            List<String> only,
            List<Long> rows,
            List<Integer> responseBytes,
            Path output) {
        return new Options(
                jdbcUrl,
                linkDelay,
                rounds,
                slot,
                warmUps,
                mostWarmUps,
                threads,
                jobs,
                only,
                races,
                repeatedKeys,
                rows,
                responseBytes,
                output);
    }

    private static String requireUrl(String value) {
        if (!value.startsWith("jdbc:postgresql:")) {
            // Does not repeat it, for it holds a password.
            throw new IllegalArgumentException(
                    "--jdbc-url must look like jdbc:postgresql://host:5432/postgres?user=...&password=...");
        }
        return value;
    }

    private static Duration positive(String name, String value) {
        Duration duration = duration(name, value);
        if (duration.isZero()) {
            throw new IllegalArgumentException(name + " must be more than zero");
        }
        return duration;
    }

    private static Duration duration(String name, String value) {
        Matcher matcher = DURATION.matcher(value.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name + " must look like 250us, 0.25ms or 1s, but is " + value);
        }
        double nanos = switch (matcher.group(2)) {
            case "us" -> 1e3;
            case "ms" -> 1e6;
            default -> 1e9;
        };
        return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * nanos));
    }

    private static long number(String name, String value, long least, long most) {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Told below.
        }
        throw new IllegalArgumentException(
                name + " takes numbers from " + least + " to " + most + ", and not " + value);
    }

    private static <T> List<T> list(String value, Function<String, T> one) {
        return Arrays.stream(value.split(",", -1)).map(String::strip).map(one).toList();
    }

    int mostThreads() {
        return threads.stream().max(Integer::compare).orElseThrow();
    }

    boolean measures(String contender) {
        return only.isEmpty() || only.stream().anyMatch(contender::contains);
    }
}
