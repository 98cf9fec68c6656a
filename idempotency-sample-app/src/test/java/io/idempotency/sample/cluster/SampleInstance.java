package io.idempotency.sample.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.idempotency.sample.ChildJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A place in the cluster: one JVM of the sample after the other. */
final class SampleInstance implements AutoCloseable {

    /** How long a leased call may take before another one takes over. */
    static final Duration LEASE = Duration.ofSeconds(3);

    /** For each start: those before may have met a database that was away. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

    /** One that does not come up so often is broken, and no fault did that. */
    private static final int MAX_STARTS = 5;

    /** As the library logs the outcome {@code recovered}. */
    private static final String TAKE_OVER = "was executed: the lease of an earlier call had expired";

    private static final Pattern ADDRESS = Pattern.compile("The wallet is open at (http://localhost:\\d+)");

    private final String name;

    private final ClusterServer database;

    private final Path directory;

    private final AtomicInteger openRequests = new AtomicInteger();

    private int starts;

    private int failedStarts;

    private ChildJvm jvm;

    private volatile String url = "http://localhost:1";

    private volatile boolean ready;

    SampleInstance(String name, ClusterServer database, Path directory) {
        this.name = name;
        this.database = database;
        this.directory = directory;
    }

    /** By which the database knows its connections, too. */
    String name() {
        return name;
    }

    /** Where it listens, or listened before it was killed. */
    String url() {
        return url;
    }

    boolean isReady() {
        return ready;
    }

    /** As the database knows it. */
    synchronized long pid() {
        return jvm.process().pid();
    }

    /** Leases of others that had expired and that it took over, all JVMs here taken together. */
    synchronized long takeOvers() throws IOException {
        long takeOvers = 0;
        for (int start = 1; start <= starts; start++) {
            try (Stream<String> lines = Files.lines(log(start))) {
                takeOvers += lines.filter(line -> line.contains(TAKE_OVER)).count();
            }
        }
        return takeOvers;
    }

    private Path log(int start) {
        return directory.resolve(name + "-start-" + start + ".log");
    }

    /** Of clients, at this moment. */
    AtomicInteger openRequests() {
        return openRequests;
    }

    synchronized void start() throws IOException {
        starts++;
        jvm = ChildJvm.startSample(
                Path.of(""),
                log(starts),
                List.of(
                        "--spring.profiles.active=postgres",
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.datasource.hikari.data-source-properties.ApplicationName=" + name,
                        "--spring.datasource.hikari.connection-timeout=3000",
                        "--sample.payouts.lease=" + LEASE.toSeconds() + "s",
                        "--sample.provider.timeout=400ms",
                        "--sample.provider.attempts=3",
                        "--idempotency.outbox.poll-interval=200ms",
                        "--idempotency.outbox.backoff.delay=100ms",
                        "--idempotency.outbox.backoff.max-delay=500ms"));
    }

    /** Returns when it takes requests; starts it again if it gave up because the database was away. */
    void awaitReady() {
        url = await().atMost(START_TIMEOUT.multipliedBy(MAX_STARTS)).until(this::findUrl, found -> found != null);
        failedStarts = 0;
        ready = true;
    }

    private synchronized String findUrl() throws IOException {
        String text = jvm.text();
        if (!jvm.process().isAlive()) {
            failedStarts++;
            assertThat(failedStarts).as(text).isLessThan(MAX_STARTS);
            start();
            return null;
        }
        Matcher address = ADDRESS.matcher(text);
        return address.find() ? address.group(1) : null;
    }

    /** Without any chance to finish what it does: {@code kill -9}. */
    synchronized void kill() {
        ready = false;
        jvm.close();
    }

    /** Stands still, as in a long garbage collection, and notices nothing. */
    void pause() {
        ready = false;
        signal("STOP");
    }

    void resume() {
        signal("CONT");
        ready = true;
    }

    private synchronized void signal(String signal) {
        try {
            Process kill = new ProcessBuilder(
                            "kill", "-" + signal, Long.toString(jvm.process().pid()))
                    .start();
            assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(kill.exitValue()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while " + name + " was told to " + signal, e);
        }
    }

    @Override
    public synchronized void close() {
        if (jvm != null) {
            kill();
        }
    }
}
