package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.idempotency.boot.testing.OtherJvm;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** What a test has of a {@link SecondJvm}. */
final class ChildJvm implements AutoCloseable {

    private static final Duration TIMEOUT = TestSize.pick(Duration.ofSeconds(60), Duration.ofMinutes(10));

    private final Process process;

    private final BufferedReader output;

    private final Writer input;

    private int retries;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
    }

    static ChildJvm start(TestDatabase database, String... properties) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(properties));
        arguments.add("spring.datasource.hikari.maximum-pool-size=20");
        return new ChildJvm(OtherJvm.of(database, SecondJvm.class, arguments).start());
    }

    void awaitReady() throws Exception {
        readUntil(SecondJvm.READY::equals);
    }

    /** Lets it stand still, or go on. */
    void signal(String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill has failed");
        }
    }

    /** Returns what a method that stays there says of itself. */
    String awaitRunning() throws Exception {
        List<String> lines = readUntil(line -> line.startsWith(SecondJvm.RUNNING));
        return lines.get(lines.size() - 1).substring(SecondJvm.RUNNING.length());
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
                .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
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
        process.destroyForcibly().onExit().join();
    }
}
