package io.idempotency.boot.actuate;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
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
import io.idempotency.boot.messaging.actuate.IdempotencyMessagingEndpointAutoConfiguration;
import io.idempotency.boot.messaging.actuate.IdempotencyMessagingHealthAutoConfiguration;
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
                        .hasSingleBean(LatestSamples.class)
                        .hasSingleBean(EndpointPart.class)
                        .hasSingleBean(HealthContributor.class)
                        .hasSingleBean(HealthPart.class));
    }

    @Test
    void onlyHealthIsThereWhereTheEndpointIsNotExposed() {
        application.run(context -> assertThat(context)
                .doesNotHaveBean(IdempotencyEndpoint.class)
                .doesNotHaveBean(EndpointPart.class)
                .hasSingleBean(HealthContributor.class)
                .hasSingleBean(HealthPart.class));
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
                        .doesNotHaveBean(LatestSamples.class)
                        .doesNotHaveBean("idempotencyLatestMessagingSamples")
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
                        IdempotencyMessagingEndpointAutoConfiguration.class,
                        IdempotencyMessagingHealthAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(IdempotencyEndpoint.class)
                        .doesNotHaveBean("idempotencyHealthContributor"));
    }

    @Test
    void healthCanBeSwitchedOffOrReplaced() {
        application
                .withPropertyValues("management.health.idempotency.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(HealthContributor.class)
                        .doesNotHaveBean(HealthPart.class));
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

        new IdempotencyEndpointRuntimeHints().registerHints(hints, getClass().getClassLoader());

        List<Class<?>> written = new ArrayList<>(List.of(Descriptors.class.getDeclaredClasses()));
        assertThat(written).isNotEmpty();
        written.addAll(List.of(IdempotencyRecord.class, StepRecord.class, TableSample.class));
        assertThat(written)
                .allSatisfy(
                        type -> assertThat(RuntimeHintsPredicates.reflection().onType(type))
                                .accepts(hints));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyEndpointAutoConfiguration.class,
        IdempotencyHealthAutoConfiguration.class,
        IdempotencyMessagingEndpointAutoConfiguration.class,
        IdempotencyMessagingHealthAutoConfiguration.class
    })
    static class Operated {}
}
