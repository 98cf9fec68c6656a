package io.idempotency.proof.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import org.springframework.stereotype.Repository;

/** Books by way of JPA. */
@Repository
class Books {

    @PersistenceContext
    private EntityManager entityManager;

    Long add(String title) {
        Book book = new Book();
        book.title = title;
        entityManager.persist(book);
        return book.id;
    }

    void rename(String from, String to) {
        entityManager
                .createQuery("select b from Book b where b.title = :title", Book.class)
                .setParameter("title", from)
                .getResultList()
                .forEach(book -> book.title = to);
    }

    @Entity(name = "Book")
    static class Book {

        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE)
        private Long id;

        private String title;
    }
}
