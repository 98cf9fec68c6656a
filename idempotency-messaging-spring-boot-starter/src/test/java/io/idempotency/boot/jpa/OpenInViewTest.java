package io.idempotency.boot.jpa;

import java.util.stream.Stream;
import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** Whoever is about to run out of connections by a default of Spring Boot is told so, and nobody else is. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenInViewTest {

    private static final String WARNING = "so a storm of duplicates can empty the connection pool";

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            IdempotencyOpenInViewAutoConfiguration.class,
            IdempotencyAutoConfiguration.class,
            IdempotencyMessagingAutoConfiguration.class,
            IdempotencyMessagingStorageAutoConfiguration.class,
            IdempotencyMigrationAutoConfiguration.class);

    private static final AutoConfigurations JPA = AutoConfigurations.of(HibernateJpaAutoConfiguration.class);

    private final TestDatabase database;

    OpenInViewTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void aWebApplicationIsWarnedOnceAndToldWhatToDo(CapturedOutput output) {
        application(new WebApplicationContextRunner()).withConfiguration(JPA).run(context -> {
            assertThat(context).hasSingleBean(OpenEntityManagerInViewInterceptor.class);
            assertThat(output).containsOnlyOnce(WARNING).contains("Set spring.jpa.open-in-view=false");
        });
    }

    Stream<Arguments> others() {
        WebApplicationContextRunner web = application(new WebApplicationContextRunner());
        ApplicationContextRunner plain = application(new ApplicationContextRunner());
        return Stream.of(
                argumentSet(
                        "who has switched it off",
                        web.withConfiguration(JPA).withPropertyValues("spring.jpa.open-in-view=false"),
                        false),
                argumentSet(
                        "without idempotency",
                        web.withConfiguration(JPA).withPropertyValues("idempotency.enabled=false"),
                        true),
                argumentSet("without requests", plain.withConfiguration(JPA), false),
                argumentSet(
                        "without JPA",
                        web.withClassLoader(new FilteredClassLoader("org.springframework.orm", "jakarta.persistence")),
                        false),
                argumentSet(
                        "without the web libraries",
                        plain.withConfiguration(JPA)
                                .withClassLoader(new FilteredClassLoader("org.springframework.web", "jakarta.servlet")),
                        false));
    }

    @ParameterizedTest
    @MethodSource("others")
    void anybodyElseStartsWithoutAWarning(
            AbstractApplicationContextRunner<?, ?, ?> other, boolean isInView, CapturedOutput output) {
        other.run(context -> {
            assertThat(context.getStartupFailure()).isNull();
            assertThat(context.getBeanNamesForType(OpenEntityManagerInViewInterceptor.class))
                    .hasSize(isInView ? 1 : 0);
            assertThat(context.getBeanNamesForType(IdempotencyAutoConfiguration.class))
                    .hasSize(isInView ? 0 : 1);
            assertThat(output).doesNotContain(WARNING);
        });
    }

    private <T extends AbstractApplicationContextRunner<T, ?, ?>> T application(T runner) {
        return runner.withBean(DataSource.class, database::adminDataSource)
                .withUserConfiguration(Entities.class)
                .withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class))
                .withConfiguration(OURS);
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Booking.class)
    static class Entities {}
}
