package io.idempotency.boot.datasource;

import java.util.Map;
import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is read outside of transactions comes from a replica, which does not have the latest rows yet. */
@PostgresTest
class ReplicaTest {

    private final TestDatabase primary;

    ReplicaTest(TestDatabase primary) {
        this.primary = primary;
    }

    @Test
    void aRepeatThatLacksTheMoneyOfItsFirstExecutionGetsItsResponse() {
        try (TestDatabase replica = TestDatabase.create()) {
            for (TestDatabase database : new TestDatabase[] {primary, replica}) {
                database.jdbc().execute("create table wallet as select 100 as cents");
                JdbcTestApplication.start(database, new Class<?>[0]).close();
            }
            ReadingFromReplica.primary = primary.dataSource();
            ReadingFromReplica.replica = replica.dataSource();
            try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                    primary,
                    new Class<?>[] {ReadingFromReplica.class, Wallet.class},
                    "idempotency.purge.enabled=false")) {
                Wallet wallet = application.getBean(Wallet.class);
                long left = wallet.withdraw("key", 70);

                assertThat(wallet.withdraw("key", 70)).isEqualTo(left).isEqualTo(30);
                assertThatThrownBy(() -> wallet.withdraw("another", 70)).isInstanceOf(NotEnough.class);
                Long joined = new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                        .execute(status -> wallet.withdraw("key", 70));
                assertThat(joined).isEqualTo(30);
            }
            assertThat(primary.jdbc().queryForObject("select cents from wallet", Long.class))
                    .isEqualTo(30);
            assertThat(replica.jdbc().queryForObject("select cents from wallet", Long.class))
                    .isEqualTo(100);
        }
    }

    static class NotEnough extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    static class Wallet {

        private final JdbcTemplate jdbc;

        Wallet(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "withdrawals", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public long withdraw(String key, long cents) {
            if (jdbc.update("update wallet set cents = cents - ? where cents >= ?", cents, cents) == 0) {
                throw new NotEnough();
            }
            return jdbc.queryForObject("select cents from wallet", Long.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReadingFromReplica {

        static DataSource primary;

        static DataSource replica;

        @Bean
        DataSource dataSource() {
            return new LazyConnectionDataSourceProxy(new Routing(
                    () -> TransactionSynchronizationManager.isActualTransactionActive() ? "primary" : "replica",
                    Map.of("primary", primary, "replica", replica),
                    replica));
        }
    }
}
