package io.idempotency.boot.contract;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.DuplicatePolicy;
import io.idempotency.Idempotent;

/** The effect under test: one row and a changed balance, so that a second execution cannot be overlooked. */
class Payments extends PayingBean {

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("""
                create table account (name text primary key, cents bigint not null);
                insert into account select 'a' || i, 1000000000 from generate_series(1, 100) i;
                create table payment (id uuid primary key, account text not null, cents bigint not null,
                    xid text not null default pg_current_xact_id()::text)""");
    }

    @Transactional
    @Idempotent(scope = "payments", key = "#key", fingerprint = "#command", waitTimeout = "30s")
    Receipt pay(String key, PayCommand command) {
        return makeEffect(command);
    }

    @Transactional
    @Idempotent(
            scope = "payments-fail-fast",
            key = "#key",
            fingerprint = "#command",
            onDuplicate = DuplicatePolicy.FAIL)
    Receipt payOrFailFast(String key, PayCommand command) {
        return makeEffect(command);
    }

    private Receipt makeEffect(PayCommand command) {
        interruption.beforeEffect();
        Receipt receipt = Receipt.of(command);
        jdbc.update(
                "insert into payment (id, account, cents) values (?, ?, ?)",
                receipt.paymentId(),
                receipt.account(),
                receipt.cents());
        jdbc.update("update account set cents = cents - ? where name = ?", receipt.cents(), receipt.account());
        interruption.afterEffect();
        return receipt;
    }
}
