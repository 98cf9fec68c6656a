package io.idempotency.boot.outbox;

import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Places orders, and tells of them. */
public class Shop {

    static final String TOPIC = "orders";

    private final JdbcTemplate jdbc;

    private final Outbox outbox;

    Shop(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("create table if not exists placed_order (number text primary key);"
                + "create table if not exists invoice (number text, consumer text)");
    }

    @Transactional
    @Idempotent(scope = "orders", key = "#number")
    public String place(String number) {
        jdbc.update("insert into placed_order values (?)", number);
        UUID id = outbox.publish(OutboxMessage.of(TOPIC, "OrderPlaced")
                .orderingKey("customer")
                .payload(new OrderPlaced(number))
                .build());
        return id.toString();
    }

    /** What is told of an order. */
    public record OrderPlaced(String number) {}
}
