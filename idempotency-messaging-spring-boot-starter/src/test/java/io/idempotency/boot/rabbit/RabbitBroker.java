package io.idempotency.boot.rabbit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** A RabbitMQ broker in a process of its own, of an installation whose {@code rabbitmq-server} is on the PATH. */
public final class RabbitBroker implements AutoCloseable {

    /** A busy machine starts Erlang and the broker in much less. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The script of Debian's on the PATH gives up root's rights, and with them the directories of the test. */
    private static final Path DEBIAN = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

    private final Path directory;

    private final int port;

    private final Map<String, String> environment;

    private Process server;

    private RabbitBroker(Path directory) {
        this.directory = directory;
        List<Integer> ports = freePorts(3);
        this.port = ports.get(0);
        this.environment = Map.of(
                "RABBITMQ_NODENAME", "test-" + port + "@localhost",
                "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                "RABBITMQ_NODE_PORT", Integer.toString(port),
                "RABBITMQ_DIST_PORT", ports.get(1).toString(),
                "ERL_EPMD_PORT", ports.get(2).toString(),
                "RABBITMQ_MNESIA_BASE", directory.resolve("mnesia").toString(),
                "RABBITMQ_LOG_BASE", directory.resolve("log").toString(),
                "RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("plugins").toString(),
                "RABBITMQ_CONF_ENV_FILE", "/dev/null",
                "HOME", directory.toString());
    }

    /** Starts a broker whose data are in the directory; skips the test where none is installed. */
    public static RabbitBroker start(Path directory) {
        assumeThat(script()).as("rabbitmq-server on the PATH").isPresent();
        RabbitBroker broker = new RabbitBroker(directory);
        // A build that is ended leaves no broker behind.
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        broker.start();
        return broker;
    }

    private static Optional<Path> script() {
        Stream<Path> onPath = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "rabbitmq-server"));
        return Stream.concat(Stream.of(DEBIAN), onPath)
                .filter(Files::isExecutable)
                .findFirst();
    }

    public int port() {
        return port;
    }

    public CachingConnectionFactory connectionFactory() {
        return new CachingConnectionFactory("127.0.0.1", port);
    }

    /** Starts the broker, again after {@link #kill()}, and returns when it takes connections. */
    public void start() {
        Path output = directory.resolve("output");
        server = run(script().orElseThrow(), output);
        Awaitility.await("the broker runs").timeout(PATIENCE).until(() -> {
            assertThat(server.isAlive()).as(Files.readString(output)).isTrue();
            return Files.readString(output).contains("Starting broker... completed");
        });
    }

    /** Ends the broker without any chance to write something. */
    public void kill() {
        List<ProcessHandle> processes = processes();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    /** Stops the broker's processes without ending them: it takes what fits in its socket, and answers nothing. */
    public void pause() {
        processes().forEach(process -> run(Path.of("kill"), List.of("-STOP", Long.toString(process.pid()))));
    }

    private List<ProcessHandle> processes() {
        List<ProcessHandle> processes = new ArrayList<>(server.descendants().toList());
        processes.add(server.toHandle());
        return processes;
    }

    /** Runs a command of {@code rabbitmqctl}. */
    public void control(String... command) {
        List<String> all = new ArrayList<>(
                List.of(script().orElseThrow().resolveSibling("rabbitmqctl").toString()));
        all.addAll(List.of(command));
        Path output = directory.resolve("control");
        try {
            Process control = start(all, output);
            assertThat(control.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(control.exitValue()).as(Files.readString(output)).isZero();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private Process run(Path program, Path output) {
        return start(List.of(program.toString()), output);
    }

    private Process start(List<String> command, Path output) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Different ones, because all are open before the first one is closed. */
    private static List<Integer> freePorts(int count) {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return sockets.stream().map(ServerSocket::getLocalPort).toList();
    }

    @Override
    public void close() {
        if (server != null) {
            kill();
        }
        // The daemon that knows Erlang's nodes outlives them.
        run(Path.of("epmd"), List.of("-port", environment.get("ERL_EPMD_PORT"), "-kill"));
    }

    private void run(Path program, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        start(command, directory.resolve("epmd")).onExit().join();
    }
}
