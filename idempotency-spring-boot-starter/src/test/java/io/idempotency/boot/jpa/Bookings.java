package io.idempotency.boot.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** Leaves all writing to the flush, as is usual with JPA. Entities are returned only where that is allowed to lose something. */
class Bookings {

    @PersistenceContext
    private EntityManager entityManager;

    private final JdbcTemplate jdbc;

    Bookings(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(scope = "book", key = "#key", waitTimeout = "30s", lossyResponse = true)
    public Booking book(String key, String seat) {
        return persist(seat);
    }

    @Transactional
    @Idempotent(scope = "book-and-move", key = "#key", lossyResponse = true)
    public Booking bookAndMove(String key, String seat, String otherSeat) {
        Booking booking = persist(seat);
        entityManager.flush();
        booking.moveTo(otherSeat);
        return booking;
    }

    @Transactional
    @Idempotent(scope = "book-quietly", key = "#key")
    public void bookWithoutAnswer(String key, String seat) {
        persist(seat);
    }

    @Transactional
    @Idempotent(scope = "book-or-else", key = "#key")
    public String bookOrElse(String key, String seat) {
        try {
            persist(seat);
            entityManager.flush();
            return "booked";
        } catch (PersistenceException taken) {
            return "taken";
        }
    }

    @Transactional
    @Idempotent(scope = "book-at-once-or-else", key = "#key")
    public String bookAtOnceOrElse(String key, String seat) {
        try {
            entityManager
                    .createNativeQuery("insert into booking (seat) values (?1)")
                    .setParameter(1, seat)
                    .executeUpdate();
            return "booked";
        } catch (PersistenceException taken) {
            return "taken";
        }
    }

    @Transactional
    @Idempotent(scope = "book-by-jdbc", key = "#key")
    public String bookByJdbc(String key, String seat) {
        return jdbc.queryForObject("insert into booking (seat) values (?) returning xid", String.class, seat);
    }

    @Idempotent(scope = "book-without-transactional", key = "#key", lossyResponse = true)
    public Booking bookWithoutTransactional(String key, String seat) {
        return persist(seat);
    }

    private Booking persist(String seat) {
        Booking booking = new Booking(seat);
        entityManager.persist(booking);
        return booking;
    }
}
