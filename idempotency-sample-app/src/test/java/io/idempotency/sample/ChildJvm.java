package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own with the class path of the tests, so that it can be killed. */
public record ChildJvm(Process process, Path output) implements AutoCloseable {

    /** Starts it with these options, main class and arguments. */
    public static ChildJvm start(Path directory, Path output, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .directory(directory.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        // For a build that is interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new ChildJvm(process, output);
    }

    /** Starts the sample on any free port, with more properties as {@code --name=value}. */
    public static ChildJvm startSample(Path directory, Path output, List<String> properties) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-Xmx256m",
                SampleApplication.class.getName(),
                "--server.port=0",
                "--logging.level.io.idempotency.sample=info"));
        arguments.addAll(properties);
        return start(directory, output, arguments);
    }

    /** All that it has printed. */
    public String text() throws IOException {
        return Files.readString(output);
    }

    /** As Ctrl-C does: it finishes what it does. */
    void stop() {
        process.destroy();
        process.onExit().join();
    }

    /** Without any chance to finish what it does: on Unix {@code kill -9}. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
