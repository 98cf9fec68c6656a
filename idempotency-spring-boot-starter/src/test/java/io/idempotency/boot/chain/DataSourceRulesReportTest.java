package io.idempotency.boot.chain;

import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** An application in which the library does not know where to keep its keys is told so at start-up. */
@PostgresTest
@Tag("full")
class DataSourceRulesReportTest {

    private final TestDatabase database;

    DataSourceRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void reportsANameOfABeanThatIsNoDataSource() {
        StartupFailure.of(database, new Class<?>[] {TwoDataSources.class}, "idempotency.data-source=environment")
                .says("idempotency.data-source = environment, but there is no DataSource of that name", "orders")
                .advises("Correct the name");
    }

    @Test
    void reportsAJpaTransactionManagerWithoutADataSource() {
        StartupFailure.of(database, new Class<?>[] {JpaWithoutDataSource.class})
                .says("A JpaTransactionManager does not know its DataSource")
                .advises("Call setDataSource on it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void reportsADatabaseThatIsAway(String migrate) {
        StartupFailure report = StartupFailure.of(
                database,
                new Class<?>[0],
                "idempotency.migrate=" + migrate,
                "spring.datasource.url=jdbc:postgresql://localhost:1/payments?user=app&password=geheim");

        report.says(
                        "The database of the idempotency tables gives no connection (the application's DataSource,"
                                + " jdbc:postgresql://localhost:1/payments)",
                        "Connection to localhost:1 refused")
                .advises("Start the database", "spring.datasource.url", "idempotency.data-source")
                .doesNotSay("geheim");
    }

    @Test
    void reportsAPasswordThatIsWrong() {
        String owner =
                database.springProperties().get("spring.datasource.username").toString();

        StartupFailure.of(
                        database,
                        new Class<?>[0],
                        "spring.datasource.username=nobody",
                        "spring.datasource.password=geheim")
                .says("gives no connection (the application's DataSource, jdbc:postgresql://", "nobody")
                .doesNotSay("geheim")
                .doesNotSay("user=" + owner);
    }

    @Test
    void reportsADatabaseOfTheNamedDataSourceThatIsAway() {
        StartupFailure.of(
                        database,
                        new Class<?>[] {TwoDataSources.class},
                        "idempotency.data-source=orders",
                        "spring.datasource.url=jdbc:postgresql://no.such.host.invalid/orders")
                .says(
                        "(idempotency.data-source = orders, jdbc:postgresql://no.such.host.invalid/orders)",
                        "UnknownHostException");
    }

    @Test
    void reportsADatabaseOfTheMigrationsThatIsAway() {
        StartupFailure.of(
                        database,
                        new Class<?>[0],
                        "idempotency.migration.url=jdbc:postgresql://localhost:1/payments",
                        "idempotency.migration.user=owner",
                        "idempotency.migration.password=geheim")
                .says("(idempotency.migration.url, jdbc:postgresql://localhost:1/payments)")
                .advises("idempotency.migration.user", "idempotency.migrate = false")
                .doesNotSay("geheim");
    }

    static Stream<Arguments> managers() {
        return Stream.of(
                arguments(OfTheOther.class, "'archiveManager' is not for the DataSource of the idempotency tables"),
                arguments(OfNobody.class, "No bean named 'missing' available"),
                arguments(OfThePrimary.class, "'archiveManager' is not for the DataSource of the idempotency tables"),
                arguments(OfTheClass.class, "'archiveManager' is not for the DataSource of the idempotency tables"),
                arguments(OfReactive.class, "'reactive' is a reactive one"));
    }

    @ParameterizedTest
    @MethodSource("managers")
    void reportsATransactionManagerThatCannotBeUsed(Class<?> bean, String problem) {
        StartupFailure.of(
                        database,
                        new Class<?>[] {TwoDataSources.class, TwoManagers.class, bean},
                        "idempotency.data-source=orders")
                .says(bean.getName() + ".pay(String) cannot be used: " + problem)
                .advises(
                        "Name the bean of the right transaction manager: @Transactional(\"ordersManager\")",
                        "idempotency.data-source");
    }

    @Test
    void reportsSeveralTransactionManagersOfWhichNoneIsPrimary() {
        StartupFailure.of(
                        database,
                        new Class<?>[] {TwoDataSources.class, TwoEqualManagers.class, OfThePrimary.class},
                        "idempotency.data-source=orders")
                .says(
                        OfThePrimary.class.getName() + ".pay(String) cannot be used: No qualifying bean",
                        "expected single matching bean")
                .advises("@Transactional(\"ordersManager\"), or");
    }

    @Test
    void reportsAWrongManagerOfABeanThatIsMadeLater() {
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database,
                new Class<?>[] {TwoDataSources.class, TwoManagers.class, MadeLater.class},
                "idempotency.data-source=orders")) {
            StartupFailure.of(catchThrowable(() -> application.getBean("later")))
                    .says("'archiveManager' is not for the DataSource of the idempotency tables");
        }
    }

    static class OfTheOther {

        @Transactional("archiveManager")
        @Idempotent(scope = "manager", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class OfNobody {

        @Transactional("missing")
        @Idempotent(scope = "manager", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class OfThePrimary {

        @Transactional
        @Idempotent(scope = "manager", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    @Qualifier("archiveManager") static class OfTheClass {

        @Transactional
        @Idempotent(scope = "manager", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class OfReactive {

        @Transactional("reactive")
        @Idempotent(scope = "manager", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MadeLater {

        @Bean
        @Lazy
        OfTheOther later() {
            return new OfTheOther();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoEqualManagers {

        @Bean
        JdbcTransactionManager ordersManager(@Qualifier("orders") DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        JdbcTransactionManager archiveManager(@Qualifier("archive") DataSource archive) {
            return new JdbcTransactionManager(archive);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoManagers {

        @Bean
        JdbcTransactionManager ordersManager(@Qualifier("orders") DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        @Primary
        JdbcTransactionManager archiveManager(@Qualifier("archive") DataSource archive) {
            return new JdbcTransactionManager(archive);
        }

        @Bean
        TransactionManager reactive() {
            return new ReactiveTransactionManager() {
                @Override
                public Mono<ReactiveTransaction> getReactiveTransaction(TransactionDefinition definition) {
                    return Mono.empty();
                }

                @Override
                public Mono<Void> commit(ReactiveTransaction transaction) {
                    return Mono.empty();
                }

                @Override
                public Mono<Void> rollback(ReactiveTransaction transaction) {
                    return Mono.empty();
                }
            };
        }
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
    static class JpaWithoutDataSource {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(Environment environment) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setPackagesToScan("no.entities");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            for (String name : List.of("url", "username", "password")) {
                factory.getJpaPropertyMap()
                        .put(
                                "jakarta.persistence.jdbc." + name.replace("username", "user"),
                                environment.getRequiredProperty("spring.datasource." + name));
            }
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
            return new JpaTransactionManager(entityManagerFactory);
        }
    }
}
