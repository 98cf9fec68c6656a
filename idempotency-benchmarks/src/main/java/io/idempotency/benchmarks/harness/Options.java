package io.idempotency.benchmarks.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;

/**
 * The options of the command line, described in {@code docs/performance.md}.
 *
 * @param jdbcUrl a running server, with user and password; null starts an embedded one
 * @param delay added to each round trip
 * @param rounds in each of which every contender has a turn
 * @param slot the length of a turn
 * @param warmUps the most turns of a contender before the first round
 * @param threads numbers of threads, measured one after the other
 * @param jobs measured in this order
 * @param only parts of the names of the contenders that run; empty for all
 * @param messages in each turn of the relay
 */
public record Options(
        @Nullable String jdbcUrl,
        @DefaultValue("0ms") Duration delay,
        @DefaultValue("20") int rounds,
        @DefaultValue("500ms") Duration slot,
        @DefaultValue("30") int warmUps,
        @DefaultValue({"1", "4", "8"}) List<Integer> threads,

        @DefaultValue({"new-key", "repeated-key", "unseen-key", "steps", "inbox-batch", "relay"})
        List<Job> jobs,

        @DefaultValue List<String> only,
        @DefaultValue("1000") int messages) {

    private static final String QUICK = "--quick";

    private static final Pattern OPTION = Pattern.compile("--([a-z-]+)=(.+)");

    private static final String ROOT = "benchmark.";

    private static final Map<String, String> QUICK_VALUES = Map.of(
            ROOT + "rounds", "2",
            ROOT + "slot", "50ms",
            ROOT + "warm-ups", "1",
            ROOT + "threads", "1,4",
            ROOT + "messages", "100");

    /**
     * Checks numbers and durations.
     *
     * @throws IllegalArgumentException if one of them is not positive, or the server is none of PostgreSQL
     */
    public Options {
        require(jdbcUrl == null || jdbcUrl.startsWith("jdbc:postgresql:"), "jdbc-url is one of PostgreSQL");
        require(!delay.isNegative(), "delay is not negative");
        require(rounds > 0, "rounds is more than 0");
        require(slot.compareTo(Duration.ZERO) > 0, "slot is more than 0");
        require(warmUps > 0, "warm-ups is more than 0");
        require(!threads.isEmpty() && Collections.min(threads) > 0, "threads are more than 0");
        require(messages > 0, "messages is more than 0");
    }

    /**
     * Reads the command line.
     *
     * @param arguments such as {@code --rounds=20}; {@code --quick} alone has no value
     * @throws IllegalArgumentException if an argument is unknown or has a value that it cannot have
     */
    public static Options parse(String... arguments) {
        Map<String, String> values = new HashMap<>();
        List<String> given = new ArrayList<>(List.of(arguments));
        if (given.remove(QUICK)) {
            values.putAll(QUICK_VALUES);
        }
        for (String argument : given) {
            Matcher option = OPTION.matcher(argument);
            require(option.matches(), "options look like --name=value");
            values.put(ROOT + option.group(1), option.group(2));
        }
        try {
            return new Binder(new MapConfigurationPropertySource(values))
                    .bindOrCreate(
                            "benchmark",
                            Bindable.of(Options.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
        } catch (BindException refused) {
            String reason = NestedExceptionUtils.getMostSpecificCause(refused).getMessage();
            throw new IllegalArgumentException("Not understood: " + refused.getName() + ", " + reason, refused);
        }
    }

    private static void require(boolean met, String rule) {
        if (!met) {
            throw new IllegalArgumentException("Not understood: " + rule);
        }
    }

    /** Returns the largest of the numbers of threads. */
    public int mostThreads() {
        return Collections.max(threads);
    }

    /** Returns whether a contender is measured. */
    public boolean measures(String contender) {
        return only.isEmpty() || only.stream().anyMatch(contender::contains);
    }
}
