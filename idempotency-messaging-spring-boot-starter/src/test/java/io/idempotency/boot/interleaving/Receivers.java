package io.idempotency.boot.interleaving;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;

/** The receivers of the actors: each message that is handled makes one row. */
class Receivers {

    private final JdbcTemplate jdbc;

    private final Inbox inbox;

    Receivers(JdbcTemplate jdbc, Inbox inbox) {
        this.jdbc = jdbc;
        this.inbox = inbox;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("""
                create table handled_message (
                    position bigint generated always as identity, stream text not null, version bigint not null,
                    cents bigint not null)""");
        jdbc.execute("create index on handled_message (stream)");
    }

    @Transactional
    @IdempotentReceiver(consumer = "each", messageId = "#message.id", payload = "#message.cents")
    public void each(Message message) {
        handle(message);
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "newest",
            messageId = "#message.id",
            stream = "#message.stream",
            version = "#message.version")
    public void newest(Message message) {
        handle(message);
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "in-order",
            messageId = "#message.id",
            stream = "#message.stream",
            version = "#message.version",
            order = DeliveryOrder.STRICT)
    public void inOrder(Message message) {
        handle(message);
    }

    public void once(Message message) {
        inbox.handleOnce("once", message.id(), () -> handle(message));
    }

    @Transactional
    public void onceInTransaction(Message message) {
        inbox.handleOnce("once-in-transaction", message.id(), () -> handle(message));
    }

    @Transactional
    public void batch(List<Message> messages) {
        inbox.claimNew("batch", messages, Message::id).forEach(this::handle);
    }

    /** Takes all messages for new ones if they cannot be claimed. */
    @Transactional
    public void carelessBatch(List<Message> messages) {
        List<Message> newMessages;
        try {
            newMessages = inbox.claimNew("careless-batch", messages, Message::id);
        } catch (RuntimeException swallowed) {
            newMessages = messages;
        }
        newMessages.forEach(this::handle);
    }

    private void handle(Message message) {
        jdbc.update(
                "insert into handled_message (stream, version, cents) values (?, ?, ?)",
                message.stream(),
                message.version(),
                message.cents());
        if (message.fails()) {
            throw new NotHandledException();
        }
    }

    /**
     * A message.
     *
     * @param id its id
     * @param stream the key of the run
     * @param version tells the messages of a run from each other
     * @param cents its payload
     * @param fails whether its receiver fails at its first delivery
     */
    record Message(String id, String stream, long version, long cents, boolean fails) {

        static Message of(String stream, long version, long cents) {
            return new Message(stream + "-" + version, stream, version, cents, false);
        }

        Message failing() {
            return new Message(id, stream, version, cents, true);
        }

        Message succeeding() {
            return new Message(id, stream, version, cents, false);
        }
    }

    /** The failure of a receiver. */
    static final class NotHandledException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotHandledException() {
            super("not handled");
        }
    }
}
