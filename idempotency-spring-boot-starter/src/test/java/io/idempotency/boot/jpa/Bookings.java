package io.idempotency.boot.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** Leaves all writing to the flush, as is usual with JPA. Entities are returned only where that is allowed to lose something. */
class Bookings {

    @PersistenceContext
    private EntityManager entityManager;

    private volatile Runnable meanwhile = () -> {};

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

    @Idempotent(scope = "book-without-transactional", key = "#key", lossyResponse = true)
    public Booking bookWithoutTransactional(String key, String seat) {
        return persist(seat);
    }

    /** Moves a booking that may be changed by others meanwhile. */
    @Retryable(
            includes = {OptimisticLockingFailureException.class, OptimisticLockException.class},
            delay = 0)
    @Transactional
    @Idempotent(scope = "move", key = "#key")
    public String move(String key, long id, String seat, boolean flush) {
        Booking booking = entityManager.find(Booking.class, id);
        meanwhile.run();
        booking.moveTo(seat);
        if (flush) {
            entityManager.flush();
        }
        return seat + " in version " + booking.getVersion();
    }

    public void meanwhile(Runnable others) {
        meanwhile = others;
    }

    private Booking persist(String seat) {
        Booking booking = new Booking(seat);
        entityManager.persist(booking);
        return booking;
    }
}
