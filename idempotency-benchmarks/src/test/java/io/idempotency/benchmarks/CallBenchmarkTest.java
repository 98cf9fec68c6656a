package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** That everything runs, and writes what it should; not how fast. */
@PostgresTest
class CallBenchmarkTest {

    private final String jdbcUrl;

    CallBenchmarkTest(TestDatabase database) {
        jdbcUrl = JdbcUrls.withCredentials(database);
    }

    @Test
    void everyJobIsMeasuredWithEveryContender(@TempDir Path output) throws Exception {
        run(output, "--rows=0,500", "--responses=300");

        List<String> lines = Files.readAllLines(output.resolve("results.csv"));
        assertThat(lines.get(0)).isEqualTo(ResultsCsv.HEADER);
        assertThat(contendersOf(lines, "new-key,default,"))
                .containsExactly(
                        "plain",
                        "plain-one-round-trip-more",
                        "plain-two-round-trips-more",
                        "hand-written",
                        "hand-written-pipelined",
                        "hand-written-for-update",
                        "floor",
                        "starter",
                        "starter-pipelined",
                        "starter-void",
                        "starter-programmatic",
                        "inbox",
                        "spring-integration-jdbc",
                        "camel-sql",
                        "transactionoutbox-spring");
        assertThat(contendersOf(lines, "repeated-key,default,"))
                .contains("select", "hand-written", "starter", "starter-pipelined", "starter-void", "inbox");
        for (String variant : List.of("default", "ids=random", "effects=batched")) {
            assertThat(contendersOf(lines, "inbox-batch," + variant + ","))
                    .containsExactly(
                            "plain-batch-500", "hand-written-batch-500", "floor-batch-500", "starter-batch-500");
        }
        assertThat(contendersOf(lines, "race,default,"))
                .containsExactly("hand-written", "starter", "starter-without-single-flight");
        for (String rows : List.of("rows=0", "rows=500")) {
            assertThat(contendersOf(lines, "growth," + rows + ",")).containsExactly("plain", "hand-written", "starter");
            assertThat(contendersOf(lines, "repeated-key," + rows + ","))
                    .containsExactly("select", "hand-written", "starter");
        }
        assertThat(contendersOf(lines, "new-key,response=300,")).containsExactly("plain", "hand-written", "starter");
        assertThat(valueOf(lines, "new-key,default,plain,2", "round_trips")).isEqualTo(3);
        assertThat(valueOf(lines, "new-key,default,plain-one-round-trip-more,2", "round_trips"))
                .isEqualTo(4);
        assertThat(valueOf(lines, "new-key,default,plain-two-round-trips-more,2", "round_trips"))
                .isEqualTo(5);
        assertThat(valueOf(lines, "new-key,default,hand-written,2", "round_trips"))
                .isEqualTo(5);
        assertThat(valueOf(lines, "new-key,default,starter-pipelined,2", "round_trips"))
                .isEqualTo(4);
        assertThat(valueOf(lines, "new-key,default,floor,2", "round_trips")).isEqualTo(3);
        assertThat(valueOf(lines, "new-key,default,plain,2", "dead_tuples")).isEqualTo(1);
        assertThat(valueOf(lines, "new-key,default,hand-written,2", "dead_tuples"))
                .isEqualTo(2);
        assertThat(valueOf(lines, "repeated-key,default,select,2", "round_trips"))
                .isEqualTo(1);
        assertThat(output.resolve("rounds.csv")).isNotEmptyFile();
        assertThat(output.resolve("results.md")).isNotEmptyFile();
        assertThat(output.resolve("new-key.svg")).isNotEmptyFile();
        assertThat(output.resolve("growth-rows-500.svg")).isNotEmptyFile();
    }

    @Test
    void aLinkDelayIsAVariantOfItsOwn(@TempDir Path output) throws Exception {
        run(output, "--jobs=new-key", "--only=plain", "--link-delay=1ms", "--responses=none");

        List<String> lines = Files.readAllLines(output.resolve("results.csv"));
        assertThat(contendersOf(lines, "new-key,link=1ms,"))
                .containsExactly("plain", "plain-one-round-trip-more", "plain-two-round-trips-more");
        assertThat(valueOf(lines, "new-key,link=1ms,plain,2", "p50_us"))
                .as("three round trips")
                .isGreaterThanOrEqualTo(6_000);
    }

    private void run(Path output, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--quick", "--jdbc-url=" + jdbcUrl, "--rounds=1", "--slot=1ms", "--threads=2", "--output=" + output));
        arguments.addAll(List.of(more));
        CallBenchmark.run(
                Options.parse(arguments, output), new PrintStream(OutputStream.nullOutputStream(), false, "UTF-8"));
    }

    private static List<String> contendersOf(List<String> lines, String prefix) {
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.split(",", -1)[2])
                .toList();
    }

    private static double valueOf(List<String> lines, String key, String column) throws IOException {
        int index = List.of(ResultsCsv.HEADER.split(",", -1)).indexOf(column);
        return lines.stream()
                .filter(line -> line.startsWith(key + ","))
                .map(line -> Double.parseDouble(line.split(",", -1)[index]))
                .findFirst()
                .orElseThrow();
    }
}
