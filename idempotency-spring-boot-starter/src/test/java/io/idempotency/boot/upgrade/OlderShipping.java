package io.idempotency.boot.upgrade;

import java.time.Instant;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** What is being replaced. */
class OlderShipping {

    private final JdbcTemplate jdbc;

    OlderShipping(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(scope = "shipments", key = "T(String).valueOf('a-key')")
    public Shipment ship(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return new Shipment("no-1", Instant.now());
    }

    @Transactional
    @Idempotent(scope = "packages", key = "T(String).valueOf('a-key')")
    public String pack(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return order.item() + " in a box";
    }

    @Transactional
    @Idempotent(scope = "counts", key = "T(String).valueOf('a-key')")
    public String count(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "one";
    }

    @Transactional
    @Idempotent(scope = "stamps", key = "T(String).valueOf('a-key')")
    public void stamp(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
    }

    @Transactional
    @Idempotent(scope = "bookings", key = "T(String).valueOf('a-key')")
    public String book(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "booked";
    }

    @Transactional
    @Idempotent(scope = "returns", key = "T(String).valueOf('a-key')", mode = IdempotencyMode.LEASED)
    public String takeBack(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "taken back";
    }

    record Order(String item) {}

    record Shipment(String number, Instant shippedAt) {}
}
