package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sample in a JVM of its own, so that it can be killed. */
final class SampleProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    private static final Pattern ADDRESS = Pattern.compile("The wallet is open at (http://localhost:\\d+)");

    private static final Pattern DATABASE = Pattern.compile("its data is in (jdbc:\\S+)");

    private final Process process;

    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** On an external database, with more properties as {@code --name=value}. */
    static SampleProcess start(TestDatabase database, Path output, String... properties) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--spring.profiles.active=postgres"));
        database.springProperties().forEach((name, value) -> arguments.add("--" + name + "=" + value));
        arguments.addAll(List.of(properties));
        return start(Path.of(""), output, arguments);
    }

    /** On the database that it brings along, as somebody starts it who has read nothing. */
    static SampleProcess startAlone(Path workingDirectory, Path output) throws IOException {
        return start(workingDirectory, output, List.of());
    }

    private static SampleProcess start(Path workingDirectory, Path output, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                SampleApplication.class.getName(),
                "--server.port=0",
                "--logging.level.io.idempotency.sample=info"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .directory(workingDirectory.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        // For a build that is interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new SampleProcess(process, output);
    }

    /** Where it listens, once it does. */
    String awaitUrl() {
        return await().atMost(START_TIMEOUT).until(this::findUrl, url -> url != null);
    }

    private String findUrl() throws IOException {
        String text = output();
        assertThat(process.isAlive()).as(text).isTrue();
        return find(ADDRESS, text);
    }

    /** Where its data is, once it is open. */
    String databaseUrl() throws IOException {
        return find(DATABASE, output());
    }

    private static String find(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? found.group(1) : null;
    }

    /** All that it has printed. */
    String output() throws IOException {
        return Files.readString(output);
    }

    boolean isOpenOrOver() throws IOException {
        return !process.isAlive() || find(ADDRESS, output()) != null;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** As Ctrl-C does: it finishes what it does. */
    void stop() {
        process.destroy();
        process.onExit().join();
    }

    /** Without any chance to finish what it does: on Unix {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
