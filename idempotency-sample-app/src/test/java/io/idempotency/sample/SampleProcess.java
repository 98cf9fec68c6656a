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

/** The sample in a JVM of its own, on an external database, so that it can be killed. */
final class SampleProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private static final Pattern ADDRESS = Pattern.compile("The wallet is open at (http://localhost:\\d+)");

    private final Process process;

    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** With more properties, as {@code --name=value}. */
    static SampleProcess start(TestDatabase database, Path output, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                SampleApplication.class.getName(),
                "--spring.profiles.active=postgres",
                "--server.port=0",
                "--logging.level.io.idempotency.sample=info"));
        database.springProperties().forEach((name, value) -> command.add("--" + name + "=" + value));
        command.addAll(List.of(properties));
        Process process = new ProcessBuilder(command)
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
        String text = Files.readString(output);
        assertThat(process.isAlive()).as(text).isTrue();
        Matcher address = ADDRESS.matcher(text);
        return address.find() ? address.group(1) : null;
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
