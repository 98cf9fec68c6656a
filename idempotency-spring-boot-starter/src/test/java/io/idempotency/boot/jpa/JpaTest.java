package io.idempotency.boot.jpa;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.TransactionFailedException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The contract where JPA holds back what it writes until the transaction ends. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JpaTest {

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    @AutoClose
    private ConfigurableApplicationContext application;

    private Bookings bookings;

    private TransactionTemplate transaction;

    JpaTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeAll
    void start() {
        jdbc.execute("""
                create sequence booking_id;
                create table booking (
                    id bigint primary key default nextval('booking_id'),
                    version int not null default 0,
                    seat text not null unique,
                    status text not null default 'confirmed by the database',
                    xid text not null default pg_current_xact_id()::text)""");
        application = JdbcTestApplication.start(
                database,
                new Class<?>[] {WithJpa.class, Bookings.class},
                "spring.datasource.hikari.maximum-pool-size=40");
        bookings = application.getBean(Bookings.class);
        PlatformTransactionManager manager = application.getBean(PlatformTransactionManager.class);
        assertThat(manager).isInstanceOf(JpaTransactionManager.class);
        transaction = new TransactionTemplate(manager);
    }

    @AfterEach
    void forgetEverything() {
        jdbc.execute("truncate booking, idempotency.idempotency_request");
    }

    @Test
    void replayedEntityHasAllThatTheDatabaseGaveTheFirst() {
        Booking first = bookings.book("key", "1A");
        assertThat(transactionOfTheRequest()).isEqualTo(first.getXid());

        Booking again = bookings.book("key", "1A");

        assertThat(first.getStatus()).isEqualTo("confirmed by the database");
        assertThat(again).isNotSameAs(first).usingRecursiveComparison().isEqualTo(first);
        assertThat(bookings()).isOne();
    }

    @Test
    void replayedEntityHasTheVersionThatTheFirstWasWrittenWith() {
        Booking first = bookings.bookAndMove("key", "1A", "2B");

        Booking again = bookings.bookAndMove("key", "1A", "2B");

        assertThat(first.getVersion()).isEqualTo(1);
        assertThat(again).usingRecursiveComparison().isEqualTo(first);
    }

    @Test
    void methodWithoutTransactionalGetsAJpaTransaction() {
        Booking first = bookings.bookWithoutTransactional("key", "1A");

        assertThat(bookings.bookWithoutTransactional("key", "1A"))
                .usingRecursiveComparison()
                .isEqualTo(first);
        assertThat(transactionOfTheRequest()).isEqualTo(first.getXid());
    }

    @Test
    void violationAtTheFlushFailsTheCallAndLeavesNothing() {
        jdbc.update("insert into booking (seat) values ('1A')");

        assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> bookings.book("key", "1A"));

        jdbc.execute("truncate booking");
        requireNothingIsLeft();
        assertThat(bookings.book("key", "1A").getSeat()).isEqualTo("1A");
    }

    @Test
    void violationAtTheFlushIsLearntInsideAnOuterTransactionAndNotAtItsCommit() {
        jdbc.update("insert into booking (seat) values ('1A')");

        assertThatExceptionOfType(UnexpectedRollbackException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(
                        status -> assertThatExceptionOfType(DataIntegrityViolationException.class)
                                .isThrownBy(() -> bookings.bookWithoutAnswer("key", "1A"))));
    }

    @Test
    void swallowedViolationFailsTheCall() {
        jdbc.update("insert into booking (seat) values ('1A')");

        assertThatThrownBy(() -> bookings.bookOrElse("key", "1A"))
                .isInstanceOfAny(TransactionFailedException.class, DataAccessException.class);

        jdbc.execute("truncate booking");
        requireNothingIsLeft();
        assertThat(bookings.bookOrElse("key", "1A")).isEqualTo("booked");
    }

    /** The failure is JPA's if the method flushes, otherwise Spring's, because the library flushes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConflictOfVersionsIsRepeatedByRetryableAndHasOneAnswer(boolean flush) {
        long id = bookings.book("key", "1A").getId();
        AtomicInteger attempts = new AtomicInteger();
        bookings.meanwhile(() -> {
            if (attempts.incrementAndGet() == 1) {
                jdbc.update("update booking set version = version + 1");
            }
        });

        String first = bookings.move("move", id, "2B", flush);

        assertThat(first).isEqualTo("2B in version " + (flush ? 2 : 1));
        assertThat(bookings.move("move", id, "2B", flush)).isEqualTo(first);
        assertThat(attempts).hasValue(2);
        assertThat(jdbc.queryForMap("select seat, version from booking")).isEqualTo(Map.of("seat", "2B", "version", 2));
        assertThat(count("idempotency.idempotency_request")).isEqualTo(2);
    }

    private void requireNothingIsLeft() {
        assertThat(bookings()).isZero();
        assertThat(count("idempotency.idempotency_request")).isZero();
    }

    private int bookings() {
        return count("booking");
    }

    private int count(String table) {
        return jdbc.queryForObject("select count(*) from " + table, Integer.class);
    }

    private String transactionOfTheRequest() {
        return jdbc.queryForObject("select xmin::text from idempotency.idempotency_request", String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    @EntityScan(basePackageClasses = Booking.class)
    @EnableResilientMethods
    static class WithJpa {}
}
