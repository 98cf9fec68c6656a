package io.idempotency.boot.tracing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.messaging.tracing.IdempotencyMessagingTracingAutoConfiguration;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

/** What a trace shows of calls and deliveries. */
@PostgresTest
@Tag("full")
class TracingTest {

    private final TestDatabase database;

    private TestObservationRegistry registry;

    private List<Observation.Context> ended;

    TracingTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void forgetEverything() {
        database.jdbc().execute("truncate idempotency.idempotency_request, idempotency.processed_message");
    }

    @Test
    void aCallIsASpanBetweenItsCallerAndItsMethod() {
        run(application -> Observation.createNotStarted("caller", registry)
                .observe(() -> operations(application)
                        .call("payments", "order-42", "request")
                        .run(() ->
                                Observation.createNotStarted("inside", registry).observe(() -> {}))));

        Observation.Context inside = ended.get(0);
        Observation.Context call = ended.get(1);
        assertThat(call.getName()).isEqualTo("idempotency.claim");
        assertThat(call.getContextualName()).isEqualTo("claim payments");
        assertThat(inside.getParentObservation().getContextView()).isSameAs(call);
        assertThat(call.getParentObservation().getContextView().getName()).isEqualTo("caller");
        assertThat(lowOf(call)).isEqualTo(Map.of("scope", "payments", "outcome", "executed", "exception", "none"));
        assertThat(highOf(call)).isEmpty();
        assertThat(call.getError()).isNull();
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @Test
    void aDeliveryIsASpan() {
        run(application -> {
            Inbox inbox = application.getBean(Inbox.class);
            inbox.handleOnce("wallets", "m-1", () -> {});
            inbox.handleOnce("wallets", "m-1", () -> {});
        });

        assertThat(ended)
                .extracting(Observation.Context::getName, Observation.Context::getContextualName)
                .containsOnly(tuple("idempotency.receive", "receive wallets"));
        assertThat(ended)
                .extracting(TracingTest::lowOf)
                .containsExactly(
                        Map.of("consumer", "wallets", "outcome", "handled", "exception", "none"),
                        Map.of("consumer", "wallets", "outcome", "duplicate", "exception", "none"));
    }

    @Test
    void whatTheMethodThrowsIsItsError() {
        IllegalStateException failure = new IllegalStateException("no paper");

        run(application -> assertThatThrownBy(() -> operations(application)
                        .call("payments", "order-42", "request")
                        .run(() -> {
                            throw failure;
                        }))
                .isSameAs(failure));

        assertThat(ended.get(0).getError()).isSameAs(failure);
        assertThat(lowOf(ended.get(0)))
                .isEqualTo(Map.of("scope", "payments", "outcome", "failed", "exception", "IllegalStateException"));
    }

    @Test
    void noKeyIsShownByWhatAnExceptionCarries() {
        run(application -> {
            IdempotencyOperations operations = operations(application);
            operations.call("payments", "order-42", "request").run(() -> {});
            Runnable reusesTheKey = () ->
                    operations.call("payments", "order-42", "another request").run(() -> {});
            assertThatThrownBy(() -> operations
                            .call("orders", "order-1", "request")
                            .run(() -> {
                                try {
                                    reusesTheKey.run();
                                } catch (KeyReusedException refused) {
                                    throw new IllegalStateException("not paid", refused);
                                }
                            }))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> operations
                            .call("orders", "order-2", "request")
                            .run(() -> {
                                IllegalStateException failure = new IllegalStateException("no paper");
                                try {
                                    reusesTheKey.run();
                                } catch (KeyReusedException refused) {
                                    failure.addSuppressed(refused);
                                }
                                throw failure;
                            }))
                    .isInstanceOf(IllegalStateException.class);
        });

        assertThat(ended)
                .filteredOn(span -> span.getError() != null)
                .hasSize(4)
                .extracting(Observation.Context::getError)
                .allSatisfy(error -> assertThat(error).hasNoCause().hasNoSuppressedExceptions());
        assertThat(ended)
                .filteredOn(span -> "claim orders".equals(span.getContextualName()))
                .extracting(span -> lowOf(span).get("exception"))
                .containsOnly("IllegalStateException");
    }

    @ParameterizedTest
    @EnumSource
    void theKeyIsShownOnlyIfThatIsAllowed(KeyDisplay display) {
        run(
                application -> {
                    operations(application)
                            .call("payments", "order-42", "request")
                            .run(() -> {});
                    assertThatThrownBy(() -> operations(application)
                                    .call("payments", "order-42", "another request")
                                    .run(() -> {}))
                            .isInstanceOf(KeyReusedException.class);
                    application.getBean(Inbox.class).handleOnce("wallets", "m-1", () -> {});
                },
                "idempotency.tracing.keys=" + display);

        Observation.Context refused = ended.get(1);
        Map<String, String> expected = switch (display) {
            case SHOWN -> Map.of("idempotency.key", "order-42", "idempotency.caller", "alice");
            case HASHED -> Map.of("idempotency.key.hash", hashOf("payments", "alice", "order-42"));
            case OMITTED -> Map.of();
        };
        assertThat(highOf(refused)).isEqualTo(expected);
        assertThat(highOf(ended.get(2)).values())
                .containsExactlyElementsOf(
                        switch (display) {
                            case SHOWN -> List.of("m-1");
                            case HASHED -> List.of(hashOf("wallets", "", "m-1"));
                            case OMITTED -> List.of();
                        });
        assertThat(lowOf(refused)).containsEntry("exception", "KeyReusedException");
        if (display == KeyDisplay.SHOWN) {
            assertThat(refused.getError()).isInstanceOf(KeyReusedException.class);
        } else {
            assertThat(refused.getError())
                    .hasToString(refused.getError().getClass().getName() + ": " + KeyReusedException.class.getName());
        }
    }

    @Test
    void theOutcomeOfACallThatJoinsATransactionIsThatOfItsReturn() {
        run(application -> {
            new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> {
                        operations(application)
                                .call("payments", "order-42", "request")
                                .run(() -> {});
                        status.setRollbackOnly();
                    });

            assertThat(lowOf(ended.get(0))).containsEntry("outcome", "executed");
            assertThat(application.getBean(LastOutcome.class).outcome).isEqualTo(Outcome.FAILED);
        });
    }

    @Test
    void listenersAreToldInsideOfTheSpan() {
        run(application -> {
            operations(application).call("payments", "order-42", "request").run(() -> {});

            LastOutcome last = application.getBean(LastOutcome.class);
            assertThat(last.outcome).isEqualTo(Outcome.EXECUTED);
            assertThat(last.span).isEqualTo("idempotency.claim");
        });
    }

    @Test
    void anApplicationCanNameItsSpans() {
        run(application -> {
            registry.observationConfig().observationConvention(new OwnConvention());
            operations(application).call("payments", "order-42", "request").run(() -> {});
        });

        assertThat(ended.get(0).getName()).isEqualTo("own.call");
        assertThat(lowOf(ended.get(0))).isEqualTo(Map.of("result", "EXECUTED"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onScopeOpened", "onScopeClosed", "onStop"})
    void aHandlerThatFailsHarmsNoCallAndNotTheNextOne(String callback) {
        run(application -> {
            registry.observationConfig().observationHandler(failingIn(callback));
            operations(application).call("payments", "order-42", "request").run(() -> {});

            assertThat(registry.getCurrentObservationScope()).isNull();
            assertThat(database.jdbc()
                            .queryForObject("select count(*) from idempotency.idempotency_request", Integer.class))
                    .isOne();
        });
    }

    private static ObservationHandler<?> failingIn(String callback) {
        return Mockito.mock(ObservationHandler.class, call -> {
            String called = call.getMethod().getName();
            if (called.equals(callback)) {
                throw new IllegalStateException("An exporter that fails");
            }
            return called.equals("supportsContext") ? call.getArgument(0) instanceof CallObservationContext : null;
        });
    }

    @Test
    void observationsMakeNoMetersOfTheirOwn() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        run(application -> {
            registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
            application.getBeanProvider(MeterFilter.class).forEach(meters.config()::meterFilter);
            operations(application).call("payments", "order-42", "request").run(() -> {});
            application.getBean(Inbox.class).handleOnce("wallets", "m-1", () -> {});
            Observation.createNotStarted("idempotency.calls.of.mine", registry).observe(() -> {});
        });

        assertThat(ended).hasSize(3);
        assertThat(meters.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactlyInAnyOrder("idempotency.calls.of.mine", "idempotency.calls.of.mine.active");
    }

    @Test
    void eachKindOfSpanCanBeSwitchedOff() {
        run(
                application -> {
                    operations(application)
                            .call("payments", "order-42", "request")
                            .run(() -> {});
                    application.getBean(Inbox.class).handleOnce("wallets", "m-1", () -> {});
                },
                "management.observations.enable.idempotency.claim=false");

        assertThat(ended).extracting(Observation.Context::getName).containsExactly("idempotency.receive");
    }

    @Test
    void withoutHandlersNothingIsObserved() {
        MicrometerCallObserver observer = new MicrometerCallObserver(ObservationRegistry.create(), KeyDisplay.OMITTED);

        assertThat((Object) observer.callStarted("payments")).isSameAs(CallObserver.Observed.noOp());
    }

    private void run(Consumer<ConfigurableApplicationContext> scenario, String... properties) {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {Traced.class, LastOutcome.class}, properties)) {
            registry = application.getBean(TestObservationRegistry.class);
            ended = application.getBean(Ended.class).contexts();
            scenario.accept(application);
        }
    }

    private static String hashOf(String scope, String caller, String key) {
        return RequestKey.idOf(new Intent(scope, caller, new IdempotencyKey(key)))
                .toString();
    }

    private static IdempotencyOperations operations(ConfigurableApplicationContext application) {
        return application.getBean(IdempotencyOperations.class);
    }

    private static Map<String, String> lowOf(Observation.Context context) {
        return toMap(context.getLowCardinalityKeyValues());
    }

    private static Map<String, String> highOf(Observation.Context context) {
        return toMap(context.getHighCardinalityKeyValues());
    }

    private static Map<String, String> toMap(KeyValues values) {
        return values.stream().collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        ObservationAutoConfiguration.class,
        IdempotencyTracingAutoConfiguration.class,
        IdempotencyMessagingTracingAutoConfiguration.class
    })
    static class Traced {

        @Bean
        TestObservationRegistry observationRegistry() {
            return TestObservationRegistry.create();
        }

        /** Found by Boot, as an exporter is. */
        @Bean
        Ended ended() {
            return new Ended(new ArrayList<>());
        }

        @Bean
        CallerResolver callerResolver() {
            return () -> "alice";
        }
    }

    record Ended(List<Observation.Context> contexts) implements ObservationHandler<Observation.Context> {

        @Override
        public void onStop(Observation.Context context) {
            contexts.add(context);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    static class LastOutcome implements IdempotencyListener {

        private final ObservationRegistry registry;

        private @Nullable Outcome outcome;

        private @Nullable String span;

        LastOutcome(ObservationRegistry registry) {
            this.registry = registry;
        }

        @Override
        public void callCompleted(CallCompleted event) {
            outcome = event.outcome();
            Observation current = registry.getCurrentObservation();
            span = current == null ? null : current.getContextView().getName();
        }
    }

    private static final class OwnConvention implements GlobalObservationConvention<CallObservationContext> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof CallObservationContext;
        }

        @Override
        public String getName() {
            return "own.call";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(CallObservationContext context) {
            CallCompleted completed = context.getCompleted();
            return KeyValues.of(
                    "result", completed == null ? "none" : completed.outcome().name());
        }
    }
}
