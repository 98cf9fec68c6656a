package io.idempotency.boot.interleaving;

import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.Idempotent;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Calls that place an order, and publish messages about it in the order of the customer's orders. */
class Orders {

    /** The messages of an order. */
    static final List<String> TYPES = List.of("placed", "confirmed");

    /** The customer's row is written first, so that the transactions of one customer do not overlap from here on. */
    private static final String PLACE = """
            with next (number) as (
                insert into customer (name, orders)
                values (?, 1)
                on conflict (name) do update
                set orders = customer.orders + 1
                returning orders)
            insert into placed_order (customer, number, id)
            select ?, number, ?
            from next""";

    private final JdbcTemplate jdbc;

    private final Outbox outbox;

    Orders(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("create table customer (name text primary key, orders bigint not null)");
        jdbc.execute("create table placed_order (customer text not null, number bigint not null, id uuid not null)");
        jdbc.execute("create index on placed_order (customer)");
    }

    /** Places an order, whose first message may be refused once. */
    @Transactional
    @Idempotent(scope = "orders", key = "#key", fingerprint = "#customer", waitTimeout = "10s")
    public UUID place(String key, String customer, Recipient.Refusal refusal) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        UUID id = UUID.randomUUID();
        jdbc.update(PLACE, customer, customer, id);
        for (String type : TYPES) {
            outbox.publish(OutboxMessage.of("orders", type)
                    .withoutPayload()
                    .orderingKey(customer)
                    .aggregate("order", id.toString())
                    .header(Recipient.REFUSAL, type.equals(TYPES.get(0)) ? refusal.name() : "")
                    .build());
        }
        return id;
    }
}
