package io.idempotency.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Kafka in a JVM of its own, which can be stopped and comes back at the same address with the same data. */
final class KafkaProcess implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final String LOGGING = """
            <configuration>
                <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                    <encoder><pattern>%d %-5level %logger{0} %msg%n%ex{3}</pattern></encoder>
                </appender>
                <logger name="kafka.server.KafkaRaftServer" level="info"/>
                <root level="warn"><appender-ref ref="out"/></root>
            </configuration>
            """;

    /** One broker, which is its own controller; consumers that die are missed soon. */
    private static final String SETTINGS = """
            process.roles=broker,controller
            node.id=1
            controller.quorum.voters=1@127.0.0.1:%2$d
            controller.listener.names=CONTROLLER
            listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
            advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
            listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
            log.dirs=%3$s
            auto.create.topics.enable=false
            offsets.topic.num.partitions=1
            offsets.topic.replication.factor=1
            transaction.state.log.replication.factor=1
            transaction.state.log.min.isr=1
            group.initial.rebalance.delay.ms=0
            group.min.session.timeout.ms=1000
            """;

    private final Path directory;

    private final int port = freePort();

    private int starts;

    private ChildJvm jvm;

    private KafkaProcess(Path directory) {
        this.directory = directory;
    }

    /** With its data in that directory. */
    static KafkaProcess start(Path directory) throws IOException {
        Files.createDirectories(directory);
        KafkaProcess kafka = new KafkaProcess(directory);
        Files.writeString(kafka.logging(), LOGGING);
        Files.writeString(kafka.settings(), SETTINGS.formatted(kafka.port, freePort(), directory.resolve("data")));
        kafka.format();
        kafka.startAgain();
        return kafka;
    }

    private void format() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        int exit = StorageTool.execute(
                new String[] {
                    "format",
                    "--cluster-id",
                    Uuid.randomUuid().toString(),
                    "--config",
                    settings().toString()
                },
                new PrintStream(output, true, StandardCharsets.UTF_8));
        assertThat(exit).as(output.toString(StandardCharsets.UTF_8)).isZero();
    }

    /** Below the ports that clients get: one that looks for a stopped server there would find itself. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException taken) {
                // Another one will do.
            }
        }
    }

    private Path logging() {
        return directory.resolve("logback.xml");
    }

    private Path settings() {
        return directory.resolve("server.properties");
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Returns when it takes requests. */
    void startAgain() throws IOException {
        starts++;
        jvm = ChildJvm.start(
                Path.of(""),
                directory.resolve("output-" + starts),
                List.of(
                        "-Xmx384m",
                        "-Dlogback.configurationFile=" + logging(),
                        "kafka.Kafka",
                        settings().toString()));
        await().atMost(TIMEOUT).until(() -> {
            String text = jvm.text();
            assertThat(jvm.process().isAlive()).as(text).isTrue();
            return text.contains("Kafka Server started");
        });
    }

    /** In an orderly way, as for a new release. */
    void stop() {
        jvm.stop();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
