package io.idempotency.boot.datasource;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reports are in the primary database, orders and our tables in the second one. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TwoDataSourcesTest {

    private final TestDatabase ordersDatabase;

    private final TestDatabase reportsDatabase = TestDatabase.createEmpty();

    private ConfigurableApplicationContext application;

    private Orders orders;

    private TransactionTemplate inReportsTransaction;

    TwoDataSourcesTest(TestDatabase database) {
        this.ordersDatabase = database;
    }

    @BeforeAll
    void start() {
        ordersDatabase.jdbc().execute("create table purchase (xid text default pg_current_xact_id()::text)");
        reportsDatabase.jdbc().execute("create table report (xid text default pg_current_xact_id()::text)");
        TwoDatabases.orders = ordersDatabase.dataSource();
        TwoDatabases.reports = reportsDatabase.dataSource();
        application = JdbcTestApplication.start(
                ordersDatabase,
                new Class<?>[] {TwoDatabases.class, Orders.class},
                "idempotency.data-source=ordersDataSource");
        orders = application.getBean(Orders.class);
        inReportsTransaction = new TransactionTemplate(
                application.getBean("reportsTransactionManager", PlatformTransactionManager.class));
    }

    @AfterAll
    void stop() {
        application.close();
        reportsDatabase.close();
    }

    @AfterEach
    void forgetEverything() {
        ordersDatabase.jdbc().execute("truncate purchase, idempotency.idempotency_request");
        reportsDatabase.jdbc().execute("truncate report");
    }

    @Test
    void tablesAreInTheNamedDatabaseOnly() {
        String ours = "select 1 from pg_namespace where nspname = 'idempotency'";

        assertThat(ordersDatabase.jdbc().queryForList(ours)).isNotEmpty();
        assertThat(reportsDatabase.jdbc().queryForList(ours)).isEmpty();
    }

    @Test
    void transactionOfTheNamedDatabaseHoldsClaimAndEffect() {
        String xid = orders.order("key");

        assertThat(orders.order("key")).isEqualTo(xid);
        assertThat(purchases()).isOne();
        assertThat(transactionOfTheRequest()).isEqualTo(xid);
    }

    @Test
    void methodWithoutTransactionGetsOneOfTheNamedDatabase() {
        String xid = orders.orderWithoutTransactional("key");

        assertThat(orders.orderWithoutTransactional("key")).isEqualTo(xid);
        assertThat(purchases()).isOne();
        assertThat(transactionOfTheRequest()).isEqualTo(xid);
    }

    @Test
    void programmaticCallGetsOneOfTheNamedDatabase() {
        String xid = application
                .getBean(IdempotencyOperations.class)
                .execute("programmatic", "key", "request", String.class, () -> orders.insert());

        assertThat(transactionOfTheRequest()).isEqualTo(xid);
    }

    @Test
    void transactionOfTheOtherDatabaseIsRefusedBeforeTheEffect() {
        assertThatThrownBy(() -> orders.orderInTheOthersTransaction("key"))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("idempotency.data-source");

        requireNothingAnywhere();
    }

    @Test
    void methodWithoutTransactionInsideOneOfTheOtherDatabaseIsRefused() {
        assertThatExceptionOfType(TransactionMismatchException.class)
                .isThrownBy(() -> inReportsTransaction.execute(status -> orders.orderWithoutTransactional("key")));

        requireNothingAnywhere();
    }

    @Test
    void callThatCommittedStaysIfTheOtherDatabasesTransactionRollsBack() {
        assertThatThrownBy(() -> inReportsTransaction.executeWithoutResult(status -> {
                    insertReport();
                    orders.order("key");
                    throw new IllegalStateException("after the order");
                }))
                .hasMessage("after the order");

        assertThat(reports()).isZero();
        assertThat(purchases()).isOne();
        orders.order("key");
        assertThat(purchases()).isOne();
    }

    @Test
    void repeatInsideOneTransactionOfTheOtherDatabaseReplays() {
        inReportsTransaction.executeWithoutResult(
                status -> assertThat(orders.order("key")).isEqualTo(orders.order("key")));

        assertThat(purchases()).isOne();
    }

    @Test
    void wrongTransactionInsideTheRightOneIsRefusedTooAndHarmsNeither() {
        TransactionTemplate inOrdersTransaction = new TransactionTemplate(
                application.getBean("ordersTransactionManager", PlatformTransactionManager.class));

        inOrdersTransaction.executeWithoutResult(status -> {
            orders.insert();
            assertThatExceptionOfType(TransactionMismatchException.class)
                    .isThrownBy(() -> orders.orderInTheOthersTransaction("key"));
        });

        assertThat(purchases()).isOne();
    }

    private void requireNothingAnywhere() {
        assertThat(purchases()).isZero();
        assertThat(reports()).isZero();
        assertThat(count(ordersDatabase, "idempotency.idempotency_request")).isZero();
    }

    private int purchases() {
        return count(ordersDatabase, "purchase");
    }

    private int reports() {
        return count(reportsDatabase, "report");
    }

    private static int count(TestDatabase database, String table) {
        return database.jdbc().queryForObject("select count(*) from " + table, Integer.class);
    }

    private String transactionOfTheRequest() {
        return ordersDatabase
                .jdbc()
                .queryForObject("select xmin::text from idempotency.idempotency_request", String.class);
    }

    private void insertReport() {
        new JdbcTemplate(TwoDatabases.reports).update("insert into report default values");
    }

    static class Orders {

        private final JdbcTemplate jdbc = new JdbcTemplate(TwoDatabases.orders);

        @Transactional("ordersTransactionManager")
        @Idempotent(scope = "orders", key = "#key")
        public String order(String key) {
            return insert();
        }

        @Idempotent(scope = "orders-without-transactional", key = "#key")
        public String orderWithoutTransactional(String key) {
            return insert();
        }

        /** With a manager that does not show its DataSource, so that only the call can find out. */
        @Transactional("opaqueReportsTransactionManager")
        @Idempotent(scope = "orders-in-the-wrong-transaction", key = "#key")
        public String orderInTheOthersTransaction(String key) {
            return insert();
        }

        String insert() {
            return jdbc.queryForObject("insert into purchase default values returning xid", String.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {

        static DataSource orders;

        static DataSource reports;

        @Bean(destroyMethod = "")
        @Primary
        DataSource reportsDataSource() {
            return reports;
        }

        @Bean(destroyMethod = "")
        DataSource ordersDataSource() {
            return orders;
        }

        @Bean
        @Primary
        PlatformTransactionManager reportsTransactionManager() {
            return new JdbcTransactionManager(reports);
        }

        @Bean
        PlatformTransactionManager opaqueReportsTransactionManager() {
            PlatformTransactionManager delegate = reportsTransactionManager();
            return new PlatformTransactionManager() {
                @Override
                public TransactionStatus getTransaction(TransactionDefinition definition) {
                    return delegate.getTransaction(definition);
                }

                @Override
                public void commit(TransactionStatus status) {
                    delegate.commit(status);
                }

                @Override
                public void rollback(TransactionStatus status) {
                    delegate.rollback(status);
                }
            };
        }

        @Bean
        PlatformTransactionManager ordersTransactionManager() {
            return new JdbcTransactionManager(orders);
        }
    }
}
