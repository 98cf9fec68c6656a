package io.idempotency.boot.datasource;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.tenant.DistinctDatabases;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Tenants that have a schema each in one database share its idempotency tables, so that they are no databases. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class DistinctDatabasesTest {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private final TestDatabase database;

    DistinctDatabasesTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("""
                create schema if not exists a;
                create schema if not exists b;
                create table if not exists a.purchase (item text);
                create table if not exists b.purchase (item text);
                truncate a.purchase, b.purchase, idempotency.idempotency_request, idempotency.processed_message""");
    }

    @AfterEach
    void leaveTheTenant() {
        TENANT.remove();
    }

    @Test
    void twoNamesOfOneDatabaseAreRefused() {
        try (ConfigurableApplicationContext application = start(SchemaOfTenant.class)) {
            Purchases purchases = application.getBean(Purchases.class);
            Inbox inbox = application.getBean(Inbox.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            assertThat(as("a", () -> purchases.buy("key"))).isEqualTo("a");

            for (Supplier<?> call : new Supplier<?>[] {
                () -> purchases.buy("key"),
                () -> purchases.buyLeased("key"),
                () -> inbox.handleOnce("consumer", "id", () -> {}),
                () -> transaction.execute(status -> purchases.buy("key"))
            }) {
                assertThatThrownBy(() -> as("b", call))
                        .isInstanceOf(TransactionMismatchException.class)
                        .hasMessage("'a' and 'b', which the DatabaseResolver has returned, are one database, '"
                                + database.jdbc().queryForObject("select current_database()", String.class)
                                + "': a key of one would be answered with the response of the other. Return the tenant"
                                + " from a CallerResolver, make it part of the ids of messages, and return from a"
                                + " DatabaseResolver one name for each database");
            }

            assertThat(as("a", () -> purchases.buy("key"))).as("replayed").isEqualTo("a");
            assertThat(as(null, () -> purchasesInAnyTenant(purchases))).contains("are one database");
        }
        assertThat(purchasesOf("a")).isEqualTo(1);
        assertThat(purchasesOf("b")).isZero();
    }

    @Test
    void aNameThatIsFirstSeenInATransactionIsCheckedToo() {
        try (ConfigurableApplicationContext application = start(SchemaOfTenant.class)) {
            Purchases purchases = application.getBean(Purchases.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            as("a", () -> transaction.execute(status -> purchases.buy("first")));

            assertThatThrownBy(() -> as("b", () -> transaction.execute(status -> purchases.buy("first"))))
                    .isInstanceOf(TransactionMismatchException.class);
        }
    }

    @Test
    void aDatabaseThatDoesNotTellWhichItIsIsAskedOnce(CapturedOutput output) {
        List<String> questions = new ArrayList<>();
        DatabaseResolver resolver = DistinctDatabases.of(() -> "a", database.dataSource(), connection -> {
            questions.add("asked");
            new JdbcTemplate(new SingleConnectionDataSource(connection, true)).execute("select not_granted()");
            throw new AssertionError();
        });

        assertThat(resolver.resolveDatabase()).isEqualTo("a");
        assertThat(resolver.resolveDatabase()).isEqualTo("a");

        assertThat(questions).hasSize(1);
        assertThat(output).contains("It is not checked whether 'a' is one database with another name");
    }

    @Test
    void twoPoolsOfOneDatabaseAreRefused() {
        try (HikariDataSource a = pool("a");
                HikariDataSource b = pool("b")) {
            TwoPools.a = a;
            TwoPools.b = b;
            try (ConfigurableApplicationContext application = start(TwoPools.class)) {
                Purchases purchases = application.getBean(Purchases.class);
                assertThat(as("a", () -> purchases.buy("key"))).isEqualTo("a");

                assertThatThrownBy(() -> as("b", () -> purchases.buy("key")))
                        .isInstanceOf(TransactionMismatchException.class)
                        .hasMessageContaining("which are DataSources of the routing DataSource, are one database");
            }
        }
        assertThat(purchasesOf("b")).isZero();
    }

    /** Such as those for reading and writing, where both are the same server. */
    @Test
    void twoPoolsOfTheSameTablesAreOneDatabase() {
        try (HikariDataSource a = pool("a");
                HikariDataSource same = pool("a")) {
            TwoPools.a = a;
            TwoPools.b = same;
            try (ConfigurableApplicationContext application = start(TwoPools.class)) {
                Purchases purchases = application.getBean(Purchases.class);

                assertThat(as("a", () -> purchases.buy("key"))).isEqualTo("a");
                assertThat(as("b", () -> purchases.buy("key"))).as("replayed").isEqualTo("a");
            }
        }
        assertThat(purchasesOf("a")).isEqualTo(1);
    }

    @Test
    void theStartSaysThatTheDatabasesOfAResolverAreNotPurged(CapturedOutput output) {
        try (ConfigurableApplicationContext application =
                start(SchemaOfTenant.class, "idempotency.purge.enabled=true", "idempotency.purge.interval=100ms")) {
            await().until(() -> application.isActive()
                    && database.jdbc().queryForObject("select count(*) from idempotency.purge_lease", Long.class) > 0);
        }
        assertThat(output)
                .contains(
                        "this process purges, relays and resumes in one of them only: the database of a thread without a tenant")
                .contains("In the others (the databases of the DatabaseResolver " + SchemaOfTenant.class.getName());
    }

    private static String purchasesInAnyTenant(Purchases purchases) {
        try {
            return purchases.buy("key");
        } catch (TransactionMismatchException refused) {
            return refused.getMessage();
        }
    }

    private HikariDataSource pool(String schema) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.springProperties().get("spring.datasource.url").toString());
        pool.setUsername(String.valueOf(database.springProperties().get("spring.datasource.username")));
        pool.setPassword(String.valueOf(database.springProperties().get("spring.datasource.password")));
        pool.setSchema(schema);
        pool.setMaximumPoolSize(2);
        return pool;
    }

    private ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {configuration, Purchases.class},
                JdbcTestApplication.and(properties, "idempotency.purge.enabled=false"));
    }

    private int purchasesOf(String tenant) {
        return database.jdbc().queryForObject("select count(*) from " + tenant + ".purchase", Integer.class);
    }

    private static <T> T as(String tenant, Supplier<T> call) {
        TENANT.set(tenant);
        return call.get();
    }

    static class Purchases {

        private final JdbcTemplate jdbc;

        Purchases(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "purchases", key = "#key")
        public String buy(String key) {
            jdbc.update("insert into purchase values ('book')");
            return TENANT.get();
        }

        @Idempotent(scope = "leased-purchases", key = "#key", mode = IdempotencyMode.LEASED)
        public String buyLeased(String key) {
            return buy(key);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SchemaOfTenant {

        @Bean
        DatabaseResolver tenants() {
            return TENANT::get;
        }

        @Bean
        static BeanPostProcessor schemas() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof HikariDataSource pool ? new WithSchema(pool) : bean;
                }
            };
        }
    }

    /** Sets the search path to the schema of the thread's tenant. */
    private static final class WithSchema extends DelegatingDataSource {

        WithSchema(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setSchema(TENANT.get() == null ? "public" : TENANT.get());
            return connection;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoPools {

        static DataSource a;

        static DataSource b;

        @Bean
        DataSource routingDataSource() {
            return new Routing(TENANT::get, Map.of("a", a, "b", b), a);
        }
    }
}
