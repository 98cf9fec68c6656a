package io.idempotency.boot.upgrade;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** What replaces it: more members, another type. */
class NewerShipping {

    private final JdbcTemplate jdbc;

    NewerShipping(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(scope = "shipments", key = "T(String).valueOf('a-key')")
    public Shipment ship(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return new Shipment("no-1", Instant.now(), "a carrier");
    }

    @Transactional
    @Idempotent(scope = "counts", key = "T(String).valueOf('a-key')")
    public List<Integer> count(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return List.of(1);
    }

    @Transactional
    @Idempotent(scope = "stamps", key = "T(String).valueOf('a-key')")
    public String stamp(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "stamped";
    }

    @Transactional
    @Idempotent(scope = "bookings", key = "T(String).valueOf('a-key')", mode = IdempotencyMode.LEASED)
    public String book(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "booked again";
    }

    @Transactional
    @Idempotent(scope = "returns", key = "T(String).valueOf('a-key')")
    public String takeBack(Order order) {
        jdbc.update("insert into shipped values (?)", order.item());
        return "taken back again";
    }

    record Order(String item, @Nullable String wrapping) {}

    record Shipment(
            String number, Instant shippedAt, @Nullable String carrier) {}
}
