package io.idempotency.proof.shop;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.util.UUID;

import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import io.idempotency.Idempotent;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** What services call and listen with. */
@Service
class Audit {

    private final JdbcTemplate jdbc;

    private final Outbox outbox;

    Audit(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    record Committed(String text) {}

    record Committing(String text) {}

    record Done(String text) {}

    record Noted(String text) {}

    record Failing(String text) {}

    @Transactional
    public void join(String text) {
        jdbc.update("insert into audit (text) values (?)", text); // join
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void inNewTransaction(String text) {
        jdbc.update("insert into audit (text) values (?)", text); // inNewTransaction
    }

    private void add(String text) {
        jdbc.update("insert into audit (text) values (?)", text); // add
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void addInNewTransaction(String text) {
        add(text);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void addAndRollBack(String text) {
        add(text);
        TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void throughView(String text) {
        jdbc.update("insert into audit_view values (?)", text); // view
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void byFunction(String text) {
        jdbc.query("select add_audit(?)", row -> {}, text); // function
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void byCopy(String text) {
        jdbc.execute((Connection connection) -> {
            CopyManager copy = new CopyManager(connection.unwrap(BaseConnection.class));
            try {
                return copy.copyIn("copy audit (text) from stdin", new StringReader(text + "\n")); // copy
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void once() {
        jdbc.update("insert into once values (1)");
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void upsert() {
        jdbc.update("insert into once values (1) on conflict do nothing"); // upsert
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void publishInNewTransaction(String text) {
        outbox.publish(OutboxMessage.of("audit", "Audited").payload(text).build()); // publish
    }

    @Transactional(noRollbackFor = OutOfMemoryError.class)
    public void withoutRollback(String text) {
        jdbc.update("insert into audit (text) values (?)", text); // withoutRollback
    }

    @Async
    public void later(String text) {
        jdbc.update("insert into audit (text) values (?)", text); // async
    }

    @TransactionalEventListener
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void on(Committed event) {
        jdbc.update("insert into audit (text) values (?)", event.text()); // eventListener
    }

    @TransactionalEventListener
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void on(Noted event) {
        jdbc.update("insert into mailed (text) values (?)", event.text()); // mail
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void on(Failing event) {
        jdbc.update("insert into audit (text) values (?)", event.text()); // afterRollback
    }

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    public void on(Committing event) {
        jdbc.update("insert into audit (text) values (?)", event.text());
    }

    @EventListener
    public void on(Done event) {
        jdbc.update("insert into audit (text) values (?)", event.text());
    }

    @Transactional
    @Idempotent(scope = "inner", key = "#key")
    public String inner(String key) {
        jdbc.update("insert into note (text) values ('inner')"); // inner
        return UUID.randomUUID().toString();
    }
}
