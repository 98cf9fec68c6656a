package io.idempotency.boot.price;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
