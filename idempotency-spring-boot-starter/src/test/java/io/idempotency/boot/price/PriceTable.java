package io.idempotency.boot.price;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.util.StringUtils;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What README's table says that a starter brings, beside what an application with that starter has. */
public final class PriceTable {

    private static final String KINDS = """
            select case relkind when 'r' then 'table' else 'view' end
            from pg_catalog.pg_class
            where relnamespace = 'idempotency'::regnamespace and relkind in ('r', 'v')
            union all
            select 'function' from pg_catalog.pg_proc where pronamespace = 'idempotency'::regnamespace""";

    private static final String TRANSACTIONS =
            "select xact_commit + xact_rollback from pg_catalog.pg_stat_database where datname = ?";

    /** A server process that has nothing to do tells its transactions only ten seconds later. */
    private static final Duration START_UP = Duration.ofSeconds(15);

    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private PriceTable() {}

    /** Starts an application and compares it with a column of the table, of which the first starter's is 1. */
    public static void assertTells(int column, TestDatabase database, Class<?>... beans) throws IOException {
        Set<Thread> before = threads();
        ConfigurableApplicationContext context = JdbcTestApplication.start(database, withMeters(beans));
        try {
            Set<Thread> after = threads();
            after.removeAll(before);

            assertThat(cell("in the database", column)).startsWith(tablesAndFunctions(database.jdbc()));
            assertThat(cell("threads", column)).isEqualTo(after.size() + ": " + names(after));
        } finally {
            context.close();
        }
    }

    /**
     * Starts an application, lets it do nothing, and compares the number of its transactions with a column of the table. They are
     * counted from another database, because each query counts in its own one.
     */
    public static void assertTellsTransactionsWithoutWork(int column, TestDatabase database, Class<?>... beans)
            throws IOException {
        Matcher told =
                Pattern.compile("about (\\d+) transactions a minute").matcher(cell("an instance without work", column));
        assertThat(told.matches())
                .as("a number in the row 'an instance without work'")
                .isTrue();
        long about = Long.parseLong(told.group(1));

        try (TestDatabase observer = TestDatabase.createEmpty();
                ConfigurableApplicationContext context = JdbcTestApplication.start(database, withMeters(beans))) {
            assertThat(context.isRunning()).isTrue();
            long before = transactionsAfter(START_UP, observer, database);
            long after = transactionsAfter(A_MINUTE, observer, database);

            assertThat(after - before).isBetween(about * 3 / 4, about * 5 / 4);
        }
    }

    private static long transactionsAfter(Duration time, TestDatabase observer, TestDatabase database) {
        return Awaitility.await()
                .pollDelay(time)
                .timeout(time.plusMinutes(1))
                .until(
                        () -> observer.jdbc().queryForObject(TRANSACTIONS, Long.class, database.name()),
                        counted -> true);
    }

    private static Class<?>[] withMeters(Class<?>[] beans) {
        Set<Class<?>> all = new HashSet<>(Set.of(beans));
        all.add(Meters.class);
        return all.toArray(Class<?>[]::new);
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("idempotency-"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static String names(Set<Thread> threads) {
        return threads.stream()
                .map(thread -> thread.getName().replace("idempotency-", "").replaceFirst("-1$", ""))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String tablesAndFunctions(JdbcOperations jdbc) {
        Map<String, Long> counts = jdbc.queryForList(KINDS, String.class).stream()
                .collect(Collectors.groupingBy(kind -> kind, LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparing(kind -> kind.equals("function"))))
                .map(kind -> kind.getValue() + " " + kind.getKey() + (kind.getValue() == 1 ? "" : "s"))
                .collect(Collectors.joining(", "));
    }

    private static String cell(String row, int column) throws IOException {
        Matcher line = Pattern.compile("^\\| " + row + " \\|(.*)\\|$", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(line.find()).as("a row '%s' in README.md", row).isTrue();
        return StringUtils.delimitedListToStringArray(line.group(1), "|")[column - 1].strip();
    }

    /** Without a registry there are no samples. */
    @Configuration(proxyBeanMethods = false)
    static class Meters {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }
}
