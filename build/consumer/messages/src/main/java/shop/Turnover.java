package shop;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

import io.idempotency.outbox.OutboxHandler;

@Component
class Turnover {

    private final JdbcClient jdbc;

    Turnover(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler(topic = "orders", consumer = "turnover")
    public void add(Orders.Order order) {
        jdbc.sql("insert into turnover values (?)").param(order.cents()).update();
    }
}
