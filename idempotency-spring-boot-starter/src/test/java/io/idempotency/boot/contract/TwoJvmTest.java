package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.boot.contract.SecondJvm.Work;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Two processes that know of each other only through the database. */
@Tag("race")
class TwoJvmTest {

    private static final int RACERS = 32;

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void duplicatesInTwoJvmsHaveOneEffectAndEqualAnswers(String isolation) throws Exception {
        race(Work.PAY, isolation, equal -> assertThat(equal).hasSize(RACERS).containsOnly(equal.get(0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void messagesInTwoJvmsAreHandledOnce(String isolation) throws Exception {
        race(
                Work.BOOK,
                isolation,
                answers -> assertThat(answers)
                        .hasSize(RACERS)
                        .filteredOn(answer -> !answer.endsWith(" null"))
                        .singleElement()
                        .asString()
                        .endsWith(" 1"));
    }

    private static void race(Work work, String isolation, ThrowingConsumer<List<String>> answersToOneKey)
            throws Exception {
        List<String> keys = IntStream.range(0, TestSize.pick(50, 1_000))
                .mapToObj(key -> "key-" + key)
                .toList();
        String[] properties = {
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation, "idempotency.wait-timeout=30s"
        };
        try (TestDatabase database = TestDatabase.create();
                Child child = Child.start(database, properties);
                ContractApplication application =
                        ContractApplication.start(database, List.of(Bookings.class), properties)) {
            child.awaitReady();
            AtomicBoolean started = new AtomicBoolean();
            application.interruption().afterEffectDo(() -> {
                if (started.compareAndSet(false, true)) {
                    child.send(work.with(keys));
                    database.backends().awaitBlocked(1);
                }
            });
            List<String> ours = work.doAll(application::bean, keys);
            List<String> theirs = child.readAnswers();

            Map<String, List<String>> answers = Stream.concat(ours.stream(), theirs.stream())
                    .collect(groupingBy(answer -> answer.substring(0, answer.indexOf(" "))));

            assertThat(answers).containsOnlyKeys(keys);
            assertThat(answers.values()).allSatisfy(answersToOneKey);
            assertThat(application.effects()).isEqualTo(keys.size());
            assertThat(application.spent("a1")).isEqualTo(5L * keys.size());
            assertThat(application.messageFailures()).isEmpty();
            int retries = application.outcomes().retries().size() + child.retries();
            if (isolation.equals("READ_COMMITTED")) {
                assertThat(retries).isZero();
            } else {
                assertThat(retries).isPositive();
            }
        }
    }

    /** What the test has of the other JVM. */
    private static final class Child implements AutoCloseable {

        private final Process process;

        private final BufferedReader output;

        private final Writer input;

        private int retries;

        private Child(Process process) {
            this.process = process;
            this.output = process.inputReader(StandardCharsets.UTF_8);
            this.input = process.outputWriter(StandardCharsets.UTF_8);
        }

        static Child start(TestDatabase database, String... properties) throws IOException {
            Path java = Path.of(System.getProperty("java.home"), "bin", "java");
            ProcessBuilder builder = new ProcessBuilder(
                    java.toString(),
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SecondJvm.class.getName(),
                    "spring.datasource.hikari.maximum-pool-size=20");
            builder.command().addAll(List.of(properties));
            database.springProperties()
                    .forEach((name, value) -> builder.environment()
                            .put(name.toUpperCase(Locale.ROOT).replace('.', '_'), value.toString()));
            return new Child(builder.redirectErrorStream(true).start());
        }

        void awaitReady() throws Exception {
            readUntil(SecondJvm.READY::equals);
        }

        void send(String line) {
            try {
                input.write(line + System.lineSeparator());
                input.flush();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        List<String> readAnswers() throws Exception {
            List<String> lines = readUntil(line -> line.startsWith(SecondJvm.RETRIES));
            retries = Integer.parseInt(lines.get(lines.size() - 1).substring(SecondJvm.RETRIES.length()));
            return lines.stream()
                    .filter(line -> line.startsWith(SecondJvm.ANSWER))
                    .map(line -> line.substring(SecondJvm.ANSWER.length()))
                    .toList();
        }

        int retries() {
            return retries;
        }

        private List<String> readUntil(Predicate<String> last) throws Exception {
            return CompletableFuture.supplyAsync(() -> {
                        List<String> lines = new ArrayList<>();
                        String line = readLine();
                        while (line != null) {
                            lines.add(line);
                            if (last.test(line)) {
                                return lines;
                            }
                            line = readLine();
                        }
                        throw new AssertionError("The other JVM ended:\n" + String.join("\n", lines));
                    })
                    .get(60, TimeUnit.SECONDS);
        }

        private String readLine() {
            try {
                return output.readLine();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
