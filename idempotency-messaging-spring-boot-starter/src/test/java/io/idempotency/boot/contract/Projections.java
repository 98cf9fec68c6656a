package io.idempotency.boot.contract;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;

/** Receivers of versioned events: one that keeps the newest value of a stream, and one that adds all of them in order. */
class Projections {

    private final JdbcTemplate jdbc;

    Projections(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("""
                create table newest (stream text primary key, value text not null);
                create table history (stream text primary key, events text not null)""");
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "newest",
            messageId = "#event.id()",
            type = "#event.type()",
            stream = "#event.stream",
            version = "#event.version")
    public String keepNewest(Event event) {
        jdbc.update(
                "insert into newest values (?, ?) on conflict (stream) do update set value = excluded.value",
                event.stream(),
                event.value());
        return event.value();
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "history",
            messageId = "#event.id()",
            stream = "#event.stream",
            version = "#event.version",
            order = DeliveryOrder.STRICT)
    public String append(Event event) {
        jdbc.update(
                "insert into history values (?, ?)"
                        + " on conflict (stream) do update set events = history.events || excluded.events",
                event.stream(),
                event.value());
        return event.value();
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "numbered",
            messageId = "#event.id()",
            stream = "#event.stream",
            version = "#event.version",
            order = DeliveryOrder.STRICT,
            firstVersion = 10)
    public String appendFromTen(Event event) {
        return event.value();
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "named",
            messageId = "#id",
            stream = "#stream",
            version = "#version",
            order = DeliveryOrder.STRICT)
    public String appendAs(String id, String stream, long version) {
        return id;
    }

    /** With a version of any type, as an expression may give. */
    record Event(String stream, Object version, String value) {

        public String id() {
            return stream + "/" + version;
        }

        public String type() {
            return "event of " + stream;
        }
    }
}
