package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The sample twice, on one database and one Kafka. One of them at a time may be killed, and comes back. */
final class TwoInstances implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final TestDatabase database;

    private final String kafka;

    private final Path directory;

    private final List<SampleProcess> processes = new ArrayList<>();

    private final AtomicReferenceArray<WalletClient> wallets = new AtomicReferenceArray<>(2);

    private final AtomicInteger broken = new AtomicInteger();

    private int starts;

    private TwoInstances(TestDatabase database, String kafka, Path directory) {
        this.database = database;
        this.kafka = kafka;
        this.directory = directory;
    }

    static TwoInstances start(TestDatabase database, String kafka, Path directory) throws IOException {
        TwoInstances instances = new TwoInstances(database, kafka, directory);
        instances.processes.add(instances.begin(0));
        instances.processes.add(instances.begin(1));
        instances.awaitUrl(0);
        instances.awaitUrl(1);
        return instances;
    }

    private SampleProcess begin(int instance) throws IOException {
        starts++;
        return SampleProcess.start(
                database,
                directory.resolve("instance-" + instance + "-start-" + starts),
                "--spring.profiles.active=postgres,kafka",
                "--spring.kafka.bootstrap-servers=" + kafka,
                "--spring.kafka.consumer.properties.[session.timeout.ms]=2000",
                "--spring.kafka.consumer.properties.[heartbeat.interval.ms]=500",
                // So that a batch takes a while: a message takes so long, and of one account one goes after the other.
                "--spring.kafka.producer.properties.[linger.ms]=20",
                "--spring.datasource.hikari.data-source-properties.ApplicationName=" + name(instance),
                "--idempotency.outbox.send-timeout=4s",
                "--idempotency.outbox.poll-interval=200ms",
                "--idempotency.outbox.backoff.delay=100ms",
                "--idempotency.outbox.backoff.max-delay=500ms");
    }

    /** By which the database knows its connections. */
    static String name(int instance) {
        return "instance-" + instance;
    }

    private void awaitUrl(int instance) {
        wallets.set(instance, WalletClient.of(processes.get(instance).awaitUrl()));
    }

    /** Before any of them is killed. */
    void open(String accountId, long cents) throws IOException, InterruptedException {
        Answer opened = wallets.get(0).open(accountId, cents);
        assertThat(opened.status()).as(opened.body()).isEqualTo(201);
    }

    /** Asks one of them, and with a broken connection the other one, until there is an answer. */
    void pay(Load load, Orders.Order order) throws InterruptedException {
        int instance = ThreadLocalRandom.current().nextInt(2);
        for (long end = System.nanoTime() + TIMEOUT.toNanos(); System.nanoTime() < end; instance = 1 - instance) {
            try {
                load.send(wallets.get(instance), order);
                return;
            } catch (IOException killed) {
                broken.incrementAndGet();
            }
        }
        throw new AssertionError("Nobody answers " + order);
    }

    /** Requests whose connection broke, or was not to be had. */
    int broken() {
        return broken.get();
    }

    /** Kills it and starts it anew; returns when it is there again. */
    void kill(int instance) throws IOException {
        processes.get(instance).kill();
        processes.set(instance, begin(instance));
        awaitUrl(instance);
    }

    @Override
    public void close() {
        processes.forEach(SampleProcess::close);
    }
}
