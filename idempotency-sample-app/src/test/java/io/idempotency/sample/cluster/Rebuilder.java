package io.idempotency.sample.cluster;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.awaitility.Awaitility.await;

/** Has the projections built anew, one after the other, whatever else goes on. */
final class Rebuilder implements AutoCloseable {

    private static final List<String> PROJECTIONS = List.of("account-balance", "daily-totals");

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LAST_TIMEOUT = Duration.ofMinutes(2);

    private final List<SampleInstance> instances;

    private final InstanceClient client = new InstanceClient();

    private final Random random;

    /** Refused are those that others have overtaken, and those whose database broke. */
    private final Map<Outcome.Kind, Integer> ended = new EnumMap<>(Outcome.Kind.class);

    private final Pauses pauses = new Pauses();

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    private Future<?> running;

    Rebuilder(List<SampleInstance> instances, long seed) {
        this.instances = instances;
        this.random = new Random(seed);
    }

    void start(Duration longestPause) {
        running = thread.submit(() -> {
            while (pauses.take(random.nextLong(longestPause.toMillis()))) {
                rebuild(PROJECTIONS.get(random.nextInt(PROJECTIONS.size())));
            }
            return null;
        });
    }

    private Outcome rebuild(String projection) throws InterruptedException {
        SampleInstance instance = instances.get(random.nextInt(instances.size()));
        Outcome outcome = client.ask(instance, url -> SampleApi.rebuild(url, projection, TIMEOUT))
                .outcome();
        ended.merge(outcome.kind(), 1, Integer::sum);
        return outcome;
    }

    /** Returns when none is on its way. */
    void stop() throws InterruptedException, ExecutionException {
        pauses.stop();
        running.get();
    }

    /** To be called when it has stopped: each projection once more. */
    void rebuildAll() {
        for (String projection : PROJECTIONS) {
            await().atMost(LAST_TIMEOUT).until(() -> rebuild(projection).isAcknowledged());
        }
    }

    Map<Outcome.Kind, Integer> ended() {
        return new EnumMap<>(ended);
    }

    @Override
    public void close() {
        pauses.stop();
        thread.shutdownNow();
    }
}
