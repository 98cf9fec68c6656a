package io.idempotency.boot.rabbit;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/**
 * Purchases, which are told to RabbitMQ, and the ledger, which learns of them from there. Nothing in these tables keeps a row
 * from being written twice, or in another order.
 */
class Purchases {

    static final String QUEUE = "purchases";

    private final JdbcTemplate jdbc;

    private final Outbox outbox;

    Purchases(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    static void createTables(JdbcTemplate jdbc, int accounts) {
        jdbc.execute("""
                create table account (name text primary key, purchases bigint not null);
                create table purchase (number int not null, account text not null, position bigint not null);
                create table ledger (entry bigserial, message_id text not null, account text not null, position bigint not null)""");
        jdbc.update("insert into account select 'account-' || i, 0 from generate_series(0, ? - 1) i", accounts);
    }

    /** The lock of the account's row decides about the order of its purchases. */
    @Transactional
    @Idempotent(scope = "purchases", key = "'purchase-' + #number")
    public void buy(int number, String account) {
        long position = jdbc.queryForObject(
                "update account set purchases = purchases + 1 where name = ? returning purchases", Long.class, account);
        jdbc.update("insert into purchase values (?, ?, ?)", number, account, position);
        outbox.publish(OutboxMessage.of(QUEUE, "Purchased")
                .orderingKey(account)
                .payload(new Purchased(account, position))
                .build());
    }

    @RabbitListener(queues = QUEUE)
    @Transactional
    @IdempotentReceiver(consumer = "ledger", messageId = "#messageId")
    public void enter(Purchased purchased, @Header(AmqpHeaders.MESSAGE_ID) String messageId) {
        jdbc.update(
                "insert into ledger (message_id, account, position) values (?, ?, ?)",
                messageId,
                purchased.account(),
                purchased.position());
    }

    /** A purchase of an account, and the how manieth it is. */
    record Purchased(String account, long position) {}
}
