package io.idempotency.sample.patterns;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.jdbc.Sql;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

/** The effect is a change by some amount: what was handled is a row of its own, written in the same transaction. */
@Tag("full")
@SpringBootTest(classes = ProcessedMessageTest.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Sql(
        statements = {
            "create table if not exists stock (item text primary key, quantity integer not null)",
            "insert into stock values ('tea', 1000), ('coffee', 1000) on conflict do nothing"
        })
class ProcessedMessageTest implements IdempotencyProof {

    private static final List<Reservation> RESERVATIONS = List.of(
            new Reservation("r-1", "tea", 1), new Reservation("r-2", "coffee", 2), new Reservation("r-3", "tea", 3));

    @IdempotencyScenario
    void reserve(Stock stock) {
        stock.reserve(RESERVATIONS.get(0));
    }

    @IdempotencyScenario
    void reserveAll(Stock stock) {
        stock.reserveAll(RESERVATIONS);
    }

    @EnableAutoConfiguration
    @Import(Stock.class)
    static class Application {}

    record Reservation(String id, String item, int quantity) {}

    static class Stock {

        private final JdbcTemplate jdbc;

        private final Inbox inbox;

        Stock(JdbcTemplate jdbc, Inbox inbox) {
            this.jdbc = jdbc;
            this.inbox = inbox;
        }

        @Transactional
        @IdempotentReceiver(consumer = "stock", messageId = "#reservation.id")
        public void reserve(Reservation reservation) {
            take(reservation);
        }

        @Transactional
        public void reserveAll(List<Reservation> reservations) {
            inbox.claimNew("stock-in-batches", reservations, Reservation::id).forEach(this::take);
        }

        private void take(Reservation reservation) {
            jdbc.update(
                    "update stock set quantity = quantity - ? where item = ?",
                    reservation.quantity(),
                    reservation.item());
        }
    }
}
