package io.idempotency.sample.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A payment provider that tells of the invoices for some payments: in any order, more than once, sometimes at once, and
 * again as long as it is not answered.
 */
final class WebhookSender implements AutoCloseable {

    private static final int THREADS = 3;

    private static final int MAX_ATTEMPTS = 12;

    private static final int PAUSE_MILLIS = 50;

    private static final int LONGEST_PAUSE_MILLIS = 1_000;

    private static final int MAX_COPIES = 3;

    /** Of so many payments one has an invoice. */
    private static final int PAYMENTS_FOR_AN_INVOICE = 3;

    private final List<SampleInstance> instances;

    private final InstanceClient client = new InstanceClient();

    private final Random random;

    private final List<InvoiceEvent> due = new ArrayList<>();

    private final List<Delivery> deliveries = new ArrayList<>();

    private final Pauses pauses = new Pauses();

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    private final List<Future<?>> running = new ArrayList<>();

    WebhookSender(List<SampleInstance> instances, long seed) {
        this.instances = instances;
        this.random = new Random(seed);
    }

    void start() {
        for (int i = 0; i < THREADS; i++) {
            running.add(threads.submit(() -> {
                while (pauses.take(randomly(PAUSE_MILLIS))) {
                    InvoiceEvent event = next();
                    if (event != null) {
                        deliver(event);
                    }
                }
                return null;
            }));
        }
    }

    /** A payment that clients know to be made. */
    synchronized void paid(UUID paymentId) {
        if (random.nextInt(PAYMENTS_FOR_AN_INVOICE) > 0) {
            return;
        }
        for (String type : List.of(InvoiceEvent.FINALIZED, InvoiceEvent.PAID)) {
            for (int copies = 1 + random.nextInt(MAX_COPIES); copies > 0; copies--) {
                due.add(new InvoiceEvent(type, paymentId));
            }
        }
    }

    private synchronized InvoiceEvent next() {
        return due.isEmpty() ? null : due.remove(random.nextInt(due.size()));
    }

    private synchronized int randomly(int bound) {
        return random.nextInt(bound);
    }

    private void deliver(InvoiceEvent event) throws InterruptedException {
        int instance = randomly(instances.size());
        int pause = PAUSE_MILLIS;
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            Outcome outcome = client.ask(
                            instances.get(instance), url -> SampleApi.webhook(url, event, InstanceClient.TIMEOUT))
                    .outcome();
            keep(new Delivery(event, outcome));
            if (outcome.isAcknowledged() || !pauses.take(pause)) {
                return;
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            instance = (instance + 1) % instances.size();
        }
    }

    private synchronized void keep(Delivery delivery) {
        deliveries.add(delivery);
    }

    synchronized List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    /** Returns when nothing is on its way; what is still due is never told. */
    void stop() throws InterruptedException, ExecutionException {
        pauses.stop();
        for (Future<?> one : running) {
            one.get();
        }
    }

    @Override
    public void close() {
        pauses.stop();
        threads.shutdownNow();
    }
}
