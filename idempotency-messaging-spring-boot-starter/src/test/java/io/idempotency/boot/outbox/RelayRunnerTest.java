package io.idempotency.boot.outbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.messaging.operations.IdempotencyMessagingOperationsAutoConfiguration;
import io.idempotency.boot.messaging.tracing.IdempotencyMessagingTracingAutoConfiguration;
import io.idempotency.boot.tracing.IdempotencyTracingAutoConfiguration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** When the relay of an application works, and when it ends. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class RelayRunnerTest {

    private static final String NEVER = "idempotency.outbox.poll-interval=1h";

    private final TestDatabase database;

    RelayRunnerTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void forgetEverything() {
        database.jdbc().execute("drop schema idempotency cascade; truncate placed_order");
    }

    @Test
    void aCommitWakesTheRelayOfItsInstance() {
        try (OutboxApplication application = start(NEVER)) {
            for (String number : List.of("1", "2", "3")) {
                application.shop().place(number);

                await().until(() -> application.messages().contains(number + " sent"));
            }
        }
    }

    @Test
    void messagesOfOtherInstancesAreFoundByThePoll() {
        try (OutboxApplication publishing = start("idempotency.outbox.relay=false")) {
            publishing.shop().place("1");
            try (OutboxApplication sending = start("idempotency.outbox.poll-interval=50ms")) {
                await().until(() -> sending.messages().equals(List.of("1 sent")));
                publishing.shop().place("2");
                await().until(() -> sending.messages().equals(List.of("1 sent", "2 sent")));

                assertThat(publishing.bean(Receiver.class).received).isEmpty();
            }
        }
    }

    static class Samples implements MessagingListener {

        final Queue<OutboxSampled> taken = new ConcurrentLinkedQueue<>();

        @Override
        public void outboxSampled(OutboxSampled sample) {
            taken.add(sample);
        }
    }

    @Test
    void anInstanceThatOnlyPublishesShowsThatNothingIsSent() {
        try (OutboxApplication publishing = OutboxApplication.start(
                database,
                List.of(Samples.class),
                "idempotency.outbox.relay=false",
                "idempotency.sample-interval=100ms")) {
            publishing.shop().place("1");

            await().until(() -> publishing.bean(Samples.class).taken.stream()
                    .anyMatch(
                            sample -> sample.pending() == 1 && !sample.oldest().isZero()));
        }
    }

    @Test
    @Tag("race")
    void instancesThatNotifyEachOtherNeedNoPollAndListenAgainAfterALostConnection() {
        String notify = "idempotency.outbox.notifications=true";
        try (OutboxApplication publishing = start(NEVER, notify, "idempotency.outbox.relay=false");
                OutboxApplication sending = start(NEVER, notify)) {
            int listener = awaitListener();
            publishing.shop().place("1");
            await().until(() -> sending.messages().equals(List.of("1 sent")));

            database.backends().terminate(listener);
            publishing.shop().place("2");
            await().until(() -> sending.messages().equals(List.of("1 sent", "2 sent")));
            assertThat(awaitListener()).isNotEqualTo(listener);
            assertThat(publishing.bean(Receiver.class).received).isEmpty();
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("idempotency-outbox-")));
    }

    private int awaitListener() {
        return await().until(
                        () -> database.backends().activity().stream()
                                .filter(backend -> backend.query().startsWith("listen idempotency_outbox_"))
                                .map(Backends.Backend::pid)
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void aCommitIsNotifiedOfAfterwardsOrNotAtAll() {
        try (OutboxApplication application = start(NEVER)) {
            application.shop().place("1");
            await().until(() -> application.messages().equals(List.of("1 sent")));

            assertThat(database.backends().activity())
                    .noneMatch(backend -> backend.query().contains("notify")
                            || backend.query().contains("listen idempotency"));
        }
    }

    @Test
    void closingWaitsForTheMessageOnItsWay() {
        CompletableFuture<Void> acknowledgement = new CompletableFuture<>();
        OutboxApplication application = start(NEVER);
        Receiver receiver = application.bean(Receiver.class);
        receiver.answer = message -> acknowledgement;
        application.shop().place("1");
        await().until(() -> receiver.received.size() == 1);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(application::close);
        await().until(() -> Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> List.of(thread.getValue()).stream()
                        .anyMatch(frame -> frame.getClassName().equals(RelayRunner.class.getName())
                                && frame.getMethodName().equals("stop"))));
        assertThat(closing).isNotDone();
        acknowledgement.complete(null);
        closing.join();

        assertThat(application.messages()).containsExactly("1 sent");
    }

    @Test
    void aContextThatIsStoppedAndStartedAgainSendsAgain() {
        try (OutboxApplication application = start(NEVER)) {
            application.context().stop();
            assertThat(application.bean(RelayRunner.class).isRunning()).isFalse();
            application.context().start();
            application.shop().place("1");

            await().until(() -> application.messages().equals(List.of("1 sent")));
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsLoggedOnceAndTriedAgain(CapturedOutput output) {
        try (OutboxApplication application = start("idempotency.outbox.poll-interval=20ms")) {
            database.jdbc().execute("alter table idempotency.outbox_event rename to elsewhere");
            await().until(() -> output.getAll().contains("Messages of the outbox could not be sent"));
            database.jdbc().execute("alter table idempotency.elsewhere rename to outbox_event");
            application.shop().place("1");

            await().until(() -> application.messages().equals(List.of("1 sent")));
        }
        assertThat(output.getAll().split("Messages of the outbox could not be sent", -1))
                .hasSize(2);
    }

    @Test
    @Tag("full")
    void aSenderThatThrowsErrorsOrInterruptsDoesNotEndTheRelay() {
        try (OutboxApplication application = start(NEVER)) {
            Receiver receiver = application.bean(Receiver.class);
            Function<OutboxRecord, CompletionStage<Void>> willing = receiver.answer;
            receiver.concurrency = () -> {
                throw new NoClassDefFoundError("of the sender");
            };
            application.shop().place("1");
            await().until(() -> receiver.asked.get() > 0);
            receiver.concurrency = () -> 1;
            await().until(() -> application.messages().equals(List.of("1 sent")));

            receiver.answer = message -> {
                Thread.currentThread().interrupt();
                return willing.apply(message);
            };
            application.shop().place("2");
            await().until(() -> receiver.received.size() > 1);
            receiver.answer = willing;
            application.shop().place("3");

            await().until(() -> application.messages().equals(List.of("1 sent", "2 sent", "3 sent")));
        }
    }

    @Test
    @Tag("full")
    void aBatchWhoseConnectionIsLostIsStoredAndNotSentAgain() {
        try (OutboxApplication application = start(NEVER)) {
            Receiver receiver = application.bean(Receiver.class);
            receiver.answer = message -> {
                receiver.answer = next -> CompletableFuture.completedFuture(null);
                database.backends().activity().stream()
                        .filter(backend ->
                                backend.inTransaction() && backend.query().contains("idempotency.lanes"))
                        .forEach(backend -> database.backends().terminate(backend.pid()));
                return CompletableFuture.completedFuture(null);
            };
            application.shop().place("1");

            await().until(() -> application.messages().equals(List.of("1 sent")));
            assertThat(receiver.received).hasSize(1);
        }
    }

    @Test
    void metersShowWhatWasSentWhatFailedAndWhatWaits() {
        try (OutboxApplication application = start(
                "idempotency.outbox.max-attempts=2",
                "idempotency.outbox.poll-interval=20ms",
                "idempotency.outbox.sample-interval=50ms")) {
            Receiver receiver = application.bean(Receiver.class);
            receiver.answer = message -> message.payload().contains("1")
                    ? CompletableFuture.failedFuture(new IllegalStateException("cannot be sent"))
                    : CompletableFuture.completedFuture(null);
            application.shop().place("1");
            application.shop().place("2");

            MeterRegistry registry = application.bean(MeterRegistry.class);
            await().ignoreException(MeterNotFoundException.class).untilAsserted(() -> {
                assertThat(ofOrders(registry, "sent").timer().count()).isOne();
                assertThat(ofOrders(registry, "failed").counter().count()).isEqualTo(2);
                assertThat(ofOrders(registry, "dead").counter().count()).isOne();
                assertThat(registry.get("idempotency.outbox.dead.kept").gauge().value())
                        .isOne();
                assertThat(registry.get("idempotency.outbox.pending").gauge().value())
                        .isZero();
                assertThat(registry.get("idempotency.outbox.oldest.age").gauge().value())
                        .isZero();
            });
        }
    }

    private static RequiredSearch ofOrders(MeterRegistry registry, String name) {
        return registry.get("idempotency.outbox." + name).tag("topic", "orders");
    }

    @Test
    void whoeverTracesAddsItsHeadersWhenAMessageIsPublished() {
        try (OutboxApplication application = start(NEVER)) {
            application.shop().place("1");

            Receiver receiver = application.bean(Receiver.class);
            await().until(() -> receiver.received.size() == 1);
            assertThat(receiver.received.get(0).headers())
                    .isEqualTo(Map.of("traceparent", "of idempotency.outbox.publish"));
        }
    }

    private OutboxApplication start(String... properties) {
        return OutboxApplication.start(database, List.of(Receiver.class, Observed.class), properties);
    }

    static class Receiver implements OutboxSender {

        private final List<OutboxRecord> received = new CopyOnWriteArrayList<>();

        private volatile Function<OutboxRecord, CompletionStage<Void>> answer =
                message -> CompletableFuture.completedFuture(null);

        private final AtomicInteger asked = new AtomicInteger();

        private volatile IntSupplier concurrency = () -> 10;

        @Override
        public CompletionStage<Void> send(OutboxRecord message) {
            received.add(message);
            return answer.apply(message);
        }

        @Override
        public int concurrency() {
            asked.incrementAndGet();
            return concurrency.getAsInt();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyTracingAutoConfiguration.class,
        IdempotencyMessagingOperationsAutoConfiguration.class,
        IdempotencyMessagingTracingAutoConfiguration.class
    })
    static class Observed {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

        /** As the handlers of Micrometer Tracing do. */
        @Bean
        ObservationRegistry observationRegistry() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<SenderContext<Object>>() {
                @Override
                public void onStart(SenderContext<Object> context) {
                    context.getSetter().set(context.getCarrier(), "traceparent", "of " + context.getName());
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return context instanceof SenderContext;
                }
            });
            return registry;
        }
    }
}
