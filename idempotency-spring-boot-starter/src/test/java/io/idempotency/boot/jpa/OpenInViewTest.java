package io.idempotency.boot.jpa;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Whoever is about to run out of connections by a default of Spring Boot is told so, and nobody else is. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class OpenInViewTest {

    private static final String WARNING = "so a storm of duplicates can empty the connection pool";

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            IdempotencyOpenInViewAutoConfiguration.class,
            IdempotencyAutoConfiguration.class,
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

    @Test
    void aWebApplicationThatHasSwitchedItOffIsNotWarned(CapturedOutput output) {
        application(new WebApplicationContextRunner())
                .withConfiguration(JPA)
                .withPropertyValues("spring.jpa.open-in-view=false")
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(IdempotencyAutoConfiguration.class)
                            .doesNotHaveBean(OpenEntityManagerInViewInterceptor.class);
                    assertThat(output).doesNotContain(WARNING);
                });
    }

    @Test
    void anApplicationWithoutIdempotencyIsNotWarned(CapturedOutput output) {
        application(new WebApplicationContextRunner())
                .withConfiguration(JPA)
                .withPropertyValues("idempotency.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(OpenEntityManagerInViewInterceptor.class);
                    assertThat(output).doesNotContain(WARNING);
                });
    }

    @Test
    void anApplicationWithoutRequestsIsNotWarned(CapturedOutput output) {
        application(new ApplicationContextRunner()).withConfiguration(JPA).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(IdempotencyAutoConfiguration.class);
            assertThat(output).doesNotContain(WARNING);
        });
    }

    @Test
    void aWebApplicationWithoutJpaIsNotWarned(CapturedOutput output) {
        application(new WebApplicationContextRunner())
                .withClassLoader(new FilteredClassLoader("org.springframework.orm", "jakarta.persistence"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(IdempotencyAutoConfiguration.class);
                    assertThat(output).doesNotContain(WARNING);
                });
    }

    @Test
    void jpaWithoutTheWebLibrariesStarts(CapturedOutput output) {
        application(new ApplicationContextRunner())
                .withConfiguration(JPA)
                .withClassLoader(new FilteredClassLoader("org.springframework.web", "jakarta.servlet"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(IdempotencyAutoConfiguration.class);
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
