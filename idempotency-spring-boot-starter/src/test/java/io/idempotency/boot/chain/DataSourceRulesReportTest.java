package io.idempotency.boot.chain;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.catchThrowable;

/** An application in which the library does not know where to keep its keys is told so at start-up. */
@PostgresTest
class DataSourceRulesReportTest {

    private final TestDatabase database;

    DataSourceRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void reportsSeveralDataSourcesOfWhichNoneIsPrimary() {
        StartupFailure.of(database, new Class<?>[] {TwoDataSources.class})
                .says("There are several DataSources and none of them is primary", "orders", "archive")
                .advises("Set idempotency.data-source");
    }

    @Test
    void reportsANameThatNoBeanHas() {
        StartupFailure.of(database, new Class<?>[] {TwoDataSources.class}, "idempotency.data-source=order")
                .says("idempotency.data-source = order, but there is no DataSource of that name", "orders", "archive")
                .advises("Correct the name");
    }

    @Test
    void reportsANameOfABeanThatIsNoDataSource() {
        StartupFailure.of(database, new Class<?>[] {TwoDataSources.class}, "idempotency.data-source=environment")
                .says("idempotency.data-source = environment, but there is no DataSource of that name", "orders")
                .advises("Correct the name");
    }

    @Test
    void reportsThatThereIsNoDataSource() {
        SpringApplication application = new SpringApplicationBuilder(NoDataSource.class)
                .web(WebApplicationType.NONE)
                .properties(StartupFailure.quietly())
                .build();

        StartupFailure.of(catchThrowable(application::run))
                .says("There is no DataSource to keep idempotency keys in")
                .advises("Configure spring.datasource.url");
    }

    @Test
    void reportsAJpaTransactionManagerWithoutADataSource() {
        StartupFailure.of(database, new Class<?>[] {JpaWithoutDataSource.class})
                .says("A JpaTransactionManager does not know its DataSource")
                .advises("Call setDataSource on it");
    }

    @Test
    void reportsASchemaNameThatIsNone() {
        StartupFailure.of(database, new Class<?>[0], "idempotency.schema=my-schema")
                .says("idempotency.schema = 'my-schema' is not a schema name", "lower-case letters")
                .advises("Correct the property");
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {

        @Bean
        DataSource orders(Environment environment) {
            return dataSource(environment);
        }

        @Bean
        DataSource archive(Environment environment) {
            return dataSource(environment);
        }

        private static DataSource dataSource(Environment environment) {
            return new DriverManagerDataSource(
                    environment.getRequiredProperty("spring.datasource.url"),
                    environment.getRequiredProperty("spring.datasource.username"),
                    environment.getRequiredProperty("spring.datasource.password"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({IdempotencyAutoConfiguration.class, IdempotencyMigrationAutoConfiguration.class})
    static class NoDataSource {}

    @Configuration(proxyBeanMethods = false)
    static class JpaWithoutDataSource {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(Environment environment) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setPackagesToScan("no.entities");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.getJpaPropertyMap()
                    .put("jakarta.persistence.jdbc.url", environment.getRequiredProperty("spring.datasource.url"));
            factory.getJpaPropertyMap()
                    .put(
                            "jakarta.persistence.jdbc.user",
                            environment.getRequiredProperty("spring.datasource.username"));
            factory.getJpaPropertyMap()
                    .put(
                            "jakarta.persistence.jdbc.password",
                            environment.getRequiredProperty("spring.datasource.password"));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
            return new JpaTransactionManager(entityManagerFactory);
        }
    }
}
