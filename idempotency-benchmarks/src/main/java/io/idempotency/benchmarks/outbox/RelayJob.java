package io.idempotency.benchmarks.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.Job;
import io.idempotency.benchmarks.harness.Options;
import io.idempotency.benchmarks.harness.Quantiles;

/** Measures how fast the relay sends a backlog, and how soon it sends a single message. */
public final class RelayJob {

    private static final Duration PACE = Duration.ofMillis(10);

    private RelayJob() {}

    /**
     * Measures the relay with handlers, and with a sender that does nothing.
     *
     * @return a table in Markdown
     * @throws InterruptedException if the thread is interrupted
     */
    public static List<String> measure(BenchmarkServer server, Options options) throws InterruptedException {
        try (RelayContender handler = new RelayContender(server, "handler", Receivers.Handler.class);
                RelayContender sender = new RelayContender(server, "sender", Receivers.NoOpSender.class)) {
            handler.checkHandler(options.messages());
            sender.drain(options.messages());
            Figures ofHandler = new Figures();
            Figures ofSender = new Figures();
            for (int round = 0; round < options.rounds(); round++) {
                ofHandler.add(handler, options.messages());
                ofSender.add(sender, options.messages());
            }
            return List.of(
                    "## " + Job.RELAY,
                    "",
                    "| contender | backlog sent a second | p50 from commit to arrival, ms | p99, ms |",
                    "|---|--:|--:|--:|",
                    ofHandler.row("handlers, 4 threads"),
                    ofSender.row("a sender that does nothing"));
        }
    }

    /** The rounds of a contender. */
    private static final class Figures {

        private final Collection<Double> rates = new ArrayList<>();

        private final Collection<Double> p50 = new ArrayList<>();

        private final Collection<Double> p99 = new ArrayList<>();

        private void add(RelayContender contender, int messages) throws InterruptedException {
            rates.add(contender.drain(messages));
            Collection<Double> millis =
                    contender.deliverPaced(Math.max(1, messages / 10), PACE).millis();
            p50.add(Quantiles.median(millis));
            p99.add(Quantiles.quantile(millis, 0.99));
        }

        private String row(String name) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %.2f | %.2f |",
                    name,
                    Quantiles.median(rates),
                    Quantiles.median(p50),
                    Quantiles.median(p99));
        }
    }
}
