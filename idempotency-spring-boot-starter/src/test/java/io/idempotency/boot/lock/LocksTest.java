package io.idempotency.boot.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.LockNotAcquiredException;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The locks of an application, whoever manages its transactions. */
@PostgresTest
@Tag("full")
class LocksTest {

    private static final String DAY = "17 2026-03-31";

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    LocksTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table settlement (day text primary key)");
    }

    @AfterEach
    void forgetEverything() {
        jdbc.execute("truncate settlement, idempotency.idempotency_request");
    }

    @ParameterizedTest(name = "with JPA: {0}")
    @ValueSource(booleans = {false, true})
    void aRefusalThatACallerSwallowsRollsHisTransactionBack(boolean jpa) throws SQLException {
        try (ConfigurableApplicationContext application = start(jpa);
                Connection holder = holding()) {
            Settlements settlements = application.getBean(Settlements.class);
            TransactionTemplate outer = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            assertThat(outer.getTransactionManager() instanceof JpaTransactionManager)
                    .isEqualTo(jpa);

            // By Spring with plain JDBC, because the inner method has failed; JPA leaves that to whoever commits.
            assertThat(catchThrowable(() -> outer.executeWithoutResult(status -> {
                        settlements.write("of the caller");
                        assertThat(catchThrowable(() -> settlements.close(DAY)))
                                .isInstanceOf(LockNotAcquiredException.class);
                    })))
                    .isInstanceOf(jpa ? TransactionFailedException.class : UnexpectedRollbackException.class);
            assertThatExceptionOfType(TransactionFailedException.class).isThrownBy(() -> settlements.closeOrElse(DAY));
            assertThatExceptionOfType(TransactionFailedException.class)
                    .isThrownBy(() -> settlements.closeOnceOrElse("key", DAY));
            assertThat(application
                            .getBean(DataSource.class)
                            .unwrap(HikariDataSource.class)
                            .getHikariPoolMXBean()
                            .getActiveConnections())
                    .as("connections that were not given back")
                    .isZero();
            holder.rollback();
        }

        assertThat(days()).isZero();
        assertThat(jdbc.queryForObject("select count(*) from idempotency.idempotency_request", Integer.class))
                .isZero();
    }

    private ConfigurableApplicationContext start(boolean jpa) {
        return JdbcTestApplication.start(
                database, jpa ? new Class<?>[] {WithJpa.class, Settlements.class} : new Class<?>[] {Settlements.class});
    }

    private Connection holding() throws SQLException {
        Connection holder = database.connection();
        holder.setAutoCommit(false);
        try (Statement statement = holder.createStatement()) {
            statement.execute(
                    "select pg_advisory_xact_lock(idempotency.idempotency_lock_id('settlement', '" + DAY + "'))");
        }
        return holder;
    }

    private Integer days() {
        return jdbc.queryForObject("select count(*) from settlement", Integer.class);
    }

    static class Settlements {

        private final TransactionLocks locks;

        private final JdbcTemplate jdbc;

        private final ObjectProvider<EntityManager> entityManager;

        Settlements(TransactionLocks locks, JdbcTemplate jdbc, ObjectProvider<EntityManager> entityManager) {
            this.locks = locks;
            this.jdbc = jdbc;
            this.entityManager = entityManager;
        }

        @Transactional
        public void write(String day) {
            entityManager.ifAvailable(session -> session.persist(new Settlement(day)));
            if (entityManager.getIfAvailable() == null) {
                jdbc.update("insert into settlement values (?)", day);
            }
        }

        @Transactional
        public void close(String day) {
            locks.acquire("settlement", day, Duration.ofMillis(200));
            write(day);
        }

        @Transactional
        public void closeOrElse(String day) {
            write("before the lock");
            assertThat(catchThrowable(() -> close(day))).isInstanceOf(LockNotAcquiredException.class);
        }

        @Transactional
        @Idempotent(scope = "close-once-or-else", key = "#key")
        public void closeOnceOrElse(String key, String day) {
            closeOrElse(day);
        }
    }

    @Entity
    @Table(name = "settlement")
    static class Settlement {

        @Id
        private String day;

        protected Settlement() {}

        Settlement(String day) {
            this.day = day;
        }

        String day() {
            return day;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    @EntityScan(basePackageClasses = Settlement.class)
    static class WithJpa {}
}
