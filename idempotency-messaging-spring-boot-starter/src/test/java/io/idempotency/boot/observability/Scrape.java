package io.idempotency.boot.observability;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.boot.messaging.metrics.IdempotencyMessagingMetricsAutoConfiguration;
import io.idempotency.boot.messaging.operations.IdempotencyMessagingOperationsAutoConfiguration;
import io.idempotency.boot.metrics.IdempotencyMetricsAutoConfiguration;
import io.idempotency.boot.retention.StorageParts;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.MessagingListeners;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.IdempotencyListeners;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StepEnded;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** What Prometheus is shown when everything has happened once. */
final class Scrape {

    private static final Pattern SAMPLE = Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+$");

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    private static final Duration A_WHILE = Duration.ofMillis(3);

    private final Map<String, Set<String>> labelsByName = new HashMap<>();

    private final List<Meter.Id> meters;

    private Scrape(PrometheusMeterRegistry registry) {
        meters = registry.getMeters().stream().map(Meter::getId).toList();
        read(registry.scrape());
    }

    private void read(String text) {
        for (String line : text.split("\n", -1)) {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                Set<String> labels = labelsByName.computeIfAbsent(sample.group(1), name -> new HashSet<>());
                if (sample.group(2) != null) {
                    LABEL.matcher(sample.group(2)).results().forEach(label -> labels.add(label.group(1)));
                }
            }
        }
    }

    static Scrape ofEveryMeter() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyMetricsAutoConfiguration.class,
                        IdempotencyMessagingMetricsAutoConfiguration.class,
                        IdempotencyMessagingOperationsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .withBean(SampledPart.class, StorageParts::create)
                .withBean(MessagingAdministration.class, () -> Mockito.mock(MessagingAdministration.class))
                .run(context -> {
                    letEverythingHappen(new IdempotencyListeners(context.getBeanProvider(IdempotencyListener.class)
                            .orderedStream()
                            .toList()));
                    letEverythingHappen(new MessagingListeners(context.getBeanProvider(MessagingListener.class)
                            .orderedStream()
                            .toList()));
                });
        return new Scrape(registry);
    }

    Set<String> names() {
        return labelsByName.keySet();
    }

    List<Meter.Id> meters() {
        return meters;
    }

    Set<String> labelsOf(String name) {
        return labelsByName.getOrDefault(name, Set.of());
    }

    private static void letEverythingHappen(IdempotencyListener listener) {
        Intent intent = new Intent("payments", "", new IdempotencyKey("a-key"));
        Throwable failure = new IllegalStateException();
        for (Outcome outcome : Outcome.values()) {
            listener.callCompleted(new CallCompleted("payments", intent, outcome, 1, A_WHILE, failure));
        }
        listener.callRetried(new CallRetried(intent, 1, "40001", failure));
        listener.stepEnded(new StepEnded(intent, "charge", false));
        listener.rowsPurged(new RowsPurged("idempotency_request", 1));
        listener.storageSampled(new StorageSampled(List.of(new TableSample("idempotency_request", 1, A_WHILE)), 1, 1));
    }

    private static void letEverythingHappen(MessagingListener listener) {
        Throwable failure = new IllegalStateException();
        listener.deliveryRetried(new DeliveryRetried("billing", "a-message", 1, "40001", failure));
        for (MessageOutcome outcome : MessageOutcome.values()) {
            listener.messageReceived(new MessageReceived("billing", "a-message", outcome, 1, A_WHILE, failure));
        }
        UUID messageId = UUID.randomUUID();
        listener.messageSent(new MessageSent(messageId, "topic", "type", 1, A_WHILE));
        listener.messageSendFailed(new MessageSendFailed(messageId, "topic", "type", 1, true, failure));
        listener.outboxSampled(new OutboxSampled(1, 1, A_WHILE, List.of()));
        listener.partitionsSampled(new PartitionSample("processed_message", 10, 7, A_WHILE, false, List.of()));
    }
}
