package io.idempotency.boot.flyway;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** An application that excludes Flyway, because others make its tables. */
@PostgresTest
class WithoutFlywayTest {

    private final ApplicationContextRunner application;

    WithoutFlywayTest(TestDatabase database) {
        application = new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withClassLoader(new FilteredClassLoader("org.flywaydb"))
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class, IdempotencyMigrationAutoConfiguration.class));
    }

    @Test
    void startsOnTablesThatOthersHaveMade() {
        application
                .withPropertyValues("idempotency.migrate=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(IdempotencySchemaInitializer.class)
                        .doesNotHaveBean(SchemaMigrations.class));
    }

    @Test
    void reportsWhatToAddOrToSetIfItIsToMigrate() {
        application.run(context -> {
            StartupReport report = StartupReport.of(context.getStartupFailure());

            assertThat(report.description()).contains("schema 'idempotency'", "Flyway is not on the class path");
            assertThat(report.action())
                    .contains(
                            "org.flywaydb:flyway-core",
                            "org.flywaydb:flyway-database-postgresql",
                            "idempotency.migrate = false",
                            "io/idempotency/internal/postgres/migration/core/changelog.xml");
        });
    }
}
