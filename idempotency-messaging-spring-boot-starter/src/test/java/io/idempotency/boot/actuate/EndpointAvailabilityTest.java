package io.idempotency.boot.actuate;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import io.idempotency.IdempotencyRecord;
import io.idempotency.StepRecord;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.messaging.operations.IdempotencyMessagingOperationsAutoConfiguration;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.internal.call.attempt.KeyOwnership.Holder;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.HandledMessage;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.messaging.PendingMessage;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** When the endpoint and the health indicator are there, and when they stay away. */
@PostgresTest
@Tag("full")
class EndpointAvailabilityTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=idempotency";

    private final WebApplicationContextRunner application;

    EndpointAvailabilityTest(TestDatabase database) {
        this.application = new WebApplicationContextRunner()
                .withPropertyValues(database.springProperties().entrySet().stream()
                        .map(property -> property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new))
                .withUserConfiguration(JdbcTestApplication.class, Operated.class);
    }

    @Test
    void everythingIsThereWhereItIsExposed() {
        application
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context)
                        .hasSingleBean(IdempotencyEndpoint.class)
                        .hasSingleBean(IdempotencyEndpointWebExtension.class)
                        .hasBean("idempotencyCallsEndpointPart")
                        .hasBean("idempotencyMessagingEndpointPart")
                        .hasSingleBean(HealthContributor.class));
    }

    @Test
    void onlyHealthIsThereWhereTheEndpointIsNotExposed() {
        application.run(context ->
                assertThat(context).doesNotHaveBean(IdempotencyEndpoint.class).hasSingleBean(HealthContributor.class));
    }

    @Test
    void nothingIsThereWithoutAccess() {
        application
                .withPropertyValues(EXPOSED, "management.endpoint.idempotency.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(IdempotencyEndpoint.class));
    }

    @Test
    void overJmxItNeedsNoWeb() {
        application
                .withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=idempotency")
                .run(context -> assertThat(context)
                        .hasSingleBean(IdempotencyEndpoint.class)
                        .doesNotHaveBean(IdempotencyEndpointWebExtension.class));
    }

    @Test
    void everythingStaysAwayWithoutActuator() {
        application
                .withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader(
                        Endpoint.class, ConditionalOnAvailableEndpoint.class, HealthIndicator.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(IdempotencyEndpoint.class)
                        .hasBean("idempotencyOutboxPart")
                        .doesNotHaveBean("idempotencyHealthContributor"));
    }

    @Test
    void everythingStaysAwayWhereTheLibraryIsSwitchedOff() {
        application
                .withPropertyValues(EXPOSED, "idempotency.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(IdempotencyEndpoint.class)
                        .doesNotHaveBean("idempotencyHealthContributor"));
        new ApplicationContextRunner()
                .withPropertyValues(EXPOSED)
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyEndpointAutoConfiguration.class,
                        IdempotencyHealthAutoConfiguration.class,
                        IdempotencyMessagingOperationsAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(IdempotencyEndpoint.class)
                        .doesNotHaveBean("idempotencyHealthContributor"));
    }

    @Test
    void healthCanBeSwitchedOffOrReplaced() {
        application
                .withPropertyValues("management.health.idempotency.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthContributor.class));
        application
                .withBean("idempotencyHealthIndicator", HealthIndicator.class, () -> () -> null)
                .run(context -> assertThat(context).hasSingleBean(HealthContributor.class));
    }

    @Test
    void thresholdsThatMakeNoSenseAreReported() {
        application
                .withPropertyValues("idempotency.health.max-outbox-age=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("idempotency.health.max-outbox-age must be at least one millisecond, not 0s"));
    }

    @Test
    void aNativeImageCanWriteEveryAnswer() {
        RuntimeHints hints = new RuntimeHints();

        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(
                        hints,
                        IdempotencyEndpointAutoConfiguration.class,
                        IdempotencyMessagingOperationsAutoConfiguration.class);

        List<Class<?>> written = new ArrayList<>(List.of(Descriptors.class.getDeclaredClasses()));
        assertThat(written).isNotEmpty();
        written.addAll(List.of(
                Row.class,
                Row.Key.class,
                SampledPart.Taken.class,
                IdempotencyRecord.class,
                StepRecord.class,
                Holder.class,
                PurgeReport.class,
                StorageSampled.class,
                TableSample.class,
                HandledMessage.class,
                FailingMessage.class,
                PendingMessage.class,
                DeadMessage.class,
                OutboxSampled.class,
                PartitionSample.class));
        assertThat(written)
                .allSatisfy(
                        type -> assertThat(RuntimeHintsPredicates.reflection().onType(type))
                                .accepts(hints));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyEndpointAutoConfiguration.class,
        IdempotencyHealthAutoConfiguration.class,
        IdempotencyMessagingOperationsAutoConfiguration.class
    })
    static class Operated {}
}
