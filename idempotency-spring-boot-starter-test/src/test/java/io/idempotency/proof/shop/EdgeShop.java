package io.idempotency.proof.shop;

import java.net.URI;
import java.time.Instant;
import java.util.UUID;

import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** Services that are right in unusual ways. */
@Service
class EdgeShop {

    private final JdbcTemplate jdbc;

    EdgeShop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    record Confirmation(UUID id) {}

    static final class NotEnoughException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotEnoughException() {
            super("There was not enough at " + Instant.now());
        }
    }

    @Transactional
    @Idempotent(scope = "e-connected", key = "#key")
    public void connectionValues(String key) {
        jdbc.update("insert into connected (backend, port) values (pg_backend_pid(), inet_client_port())");
    }

    @Transactional
    @Idempotent(scope = "e-confirmed", key = "#key")
    public Confirmation confirm(String key) {
        jdbc.update("insert into note (text) values ('confirmed')");
        return new Confirmation(UUID.randomUUID());
    }

    /** As a client of HTTP gets it. */
    static ResponseEntity<Confirmation> response(Confirmation confirmation) {
        return ResponseEntity.created(URI.create("/confirmations/" + confirmation.id()))
                .header("Date", Instant.now().toString())
                .header("X-Request-Id", UUID.randomUUID().toString())
                .body(confirmation);
    }

    @Transactional
    @Idempotent(scope = "e-refused", key = "#key", finalFailures = NotEnoughException.class)
    public String refuse(String key) {
        jdbc.update("insert into note (text) values ('refused')");
        throw new NotEnoughException();
    }

    @Transactional
    @Idempotent(scope = "e-made", key = "#key")
    public void makeTable(String key) {
        jdbc.execute("create table made (id serial, text text)");
        jdbc.update("insert into made (text) values ('made')");
        jdbc.execute("create schema made_too");
        jdbc.execute("create view made_too.view as select * from made");
    }

    @Idempotent(scope = "e-resumed", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
    public String resumable(String key) {
        jdbc.update("insert into counter values (?, 1) on conflict (name) do nothing", key);
        return "resumable";
    }

    @Transactional
    @Idempotent(scope = "e-large", key = "#key")
    public void large(String key) {
        jdbc.update("insert into note (text) values (repeat('large ', 200000))");
    }
}
