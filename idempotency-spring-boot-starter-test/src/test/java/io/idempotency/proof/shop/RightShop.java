package io.idempotency.proof.shop;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;

/** Services that are right. */
@Service
class RightShop {

    private final JdbcTemplate jdbc;

    private final Audit audit;

    private final Outside outside;

    private final ApplicationEventPublisher events;

    private final IdempotencyOperations idempotency;

    private final Outbox outbox;

    private final Books books;

    RightShop(
            JdbcTemplate jdbc,
            Audit audit,
            Outside outside,
            ApplicationEventPublisher events,
            IdempotencyOperations idempotency,
            Outbox outbox,
            Books books) {
        this.jdbc = jdbc;
        this.audit = audit;
        this.outside = outside;
        this.events = events;
        this.idempotency = idempotency;
        this.outbox = outbox;
        this.books = books;
    }

    record Receipt(UUID id, BigDecimal amount, Instant at) {}

    private void note() {
        jdbc.update("insert into note (text) values ('right')");
    }

    @Transactional
    @Idempotent(scope = "r-transfer", key = "#key", fingerprint = "#amount")
    public Receipt transfer(String key, long amount) {
        Long from = jdbc.queryForObject("select n from counter where name = 'a'", Long.class);
        jdbc.update("update counter set n = ? where name = 'a'", Objects.requireNonNull(from) - amount);
        Long to = jdbc.queryForObject("select n from counter where name = 'b'", Long.class);
        jdbc.update("update counter set n = ? where name = 'b'", Objects.requireNonNull(to) + amount);
        jdbc.update("insert into note (text) values ('transfer')");
        jdbc.update("insert into audit (text) values ('transfer')");
        return new Receipt(UUID.randomUUID(), BigDecimal.valueOf(amount), Instant.now());
    }

    @Transactional
    @Idempotent(scope = "r-delta", key = "#key")
    public void delta(String key) {
        jdbc.update("update counter set n = n + 1 where name = 'a'");
    }

    @Transactional
    @Idempotent(scope = "r-identity", key = "#key")
    public Long identityInTheAnswer(String key) {
        return jdbc.queryForObject("insert into note (text) values ('id') returning id", Long.class);
    }

    @Transactional
    @Idempotent(scope = "r-sequence", key = "#key")
    public void idFromSequence(String key) {
        jdbc.update("insert into numbered values (nextval('points'), 'id')");
    }

    @Transactional
    @Idempotent(scope = "r-random", key = "#key")
    public UUID randomId(String key) {
        UUID id = UUID.randomUUID();
        jdbc.update("insert into token values (?, clock_timestamp())", id);
        return id;
    }

    @Transactional
    @Idempotent(scope = "r-second", key = "#key")
    public void timeInSeconds(String key) {
        jdbc.update("insert into token values (gen_random_uuid(), date_trunc('second', clock_timestamp()))");
    }

    @Transactional
    @Idempotent(scope = "r-joined", key = "#key")
    public void joinedTransaction(String key) {
        audit.join(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "r-before-commit", key = "#key")
    public void listenerBeforeCommit(String key) {
        events.publishEvent(new Audit.Committing(key));
        note();
    }

    @Transactional
    @Idempotent(scope = "r-listener", key = "#key")
    public void listener(String key) {
        events.publishEvent(new Audit.Done(key));
        note();
    }

    @Transactional
    @Idempotent(scope = "r-outbox", key = "#key")
    public void outbox(String key) {
        outbox.publish(OutboxMessage.of("orders", "OrderPlaced").payload(key).build());
    }

    @Transactional
    @Idempotent(scope = "r-http", key = "#key")
    public void httpWithDownstreamKey(String key) {
        outside.charge(IdempotencyContext.current().downstreamKey("provider"));
        note();
    }

    @Idempotent(scope = "r-leased", key = "#key", mode = IdempotencyMode.LEASED)
    public String leased(String key) {
        outside.charge(IdempotencyContext.current().downstreamKey("provider"));
        return "charged";
    }

    @Transactional
    @Idempotent(scope = "r-leased-transaction", key = "#key", mode = IdempotencyMode.LEASED)
    public void leasedWithTransaction(String key) {
        outside.charge(IdempotencyContext.current().downstreamKey("provider"));
        note();
    }

    @Idempotent(scope = "r-no-transactional", key = "#key")
    public void withoutTransactional(String key) {
        note();
        audit.join(key);
    }

    public String operations(String key) {
        return idempotency.execute("r-operations", key, "request", String.class, () -> {
            note();
            return "done";
        });
    }

    @Transactional
    @IdempotentReceiver(consumer = "r-receiver", messageId = "#id")
    public void receive(String id) {
        note();
    }

    @OutboxHandler(topic = "notes")
    void handle(String text) {
        jdbc.update("insert into note (text) values (?)", text);
    }

    @Transactional
    @Idempotent(scope = "r-nested", key = "#key")
    public String nested(String key) {
        note();
        return audit.inner(key);
    }

    @Transactional
    @Idempotent(scope = "r-jpa", key = "#key")
    public Long jpa(String key) {
        books.rename("old", "new");
        return books.add(key);
    }

    @Transactional
    @Idempotent(scope = "r-upsert", key = "#key")
    public void upsert(String key) {
        jdbc.update("insert into counter values (?, 1) on conflict (name) do update set n = counter.n + 1", key);
    }

    @Transactional
    @Idempotent(scope = "r-read", key = "#key")
    public void readThenWrite(String key) {
        if (jdbc.queryForList("select 1 from audit where text = ?", key).isEmpty()) {
            jdbc.update("insert into audit (text) values (?)", key);
        }
    }

    @Transactional
    @Idempotent(scope = "r-batch", key = "#key")
    public void batch(String key) {
        jdbc.batchUpdate("insert into audit (text) values (?)", List.of(new Object[] {key}, new Object[] {"two"}));
        jdbc.update("delete from counter where name = 'b'");
    }
}
