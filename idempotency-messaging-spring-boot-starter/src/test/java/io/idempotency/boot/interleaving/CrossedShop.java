package io.idempotency.boot.interleaving;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.boot.interleaving.Shop.Receipt;

/** Calls that need a row which others may hold while they wait for the key. */
class CrossedShop {

    private final JdbcTemplate jdbc;

    private final TransactionTemplate outer;

    private final ObjectProvider<CrossedShop> self;

    CrossedShop(JdbcTemplate jdbc, PlatformTransactionManager manager, ObjectProvider<CrossedShop> self) {
        this.jdbc = jdbc;
        this.outer = new TransactionTemplate(manager);
        this.self = self;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("create table crossing (key text primary key, takings bigint not null)");
    }

    @Transactional
    @Idempotent(scope = "crossed", key = "#key", fingerprint = "#key", waitTimeout = "10s")
    public Receipt buy(String key) {
        takeRow(key);
        return Shop.insert(jdbc, key, 5);
    }

    /** Holds the row, and then waits for the key: PostgreSQL notices if who holds the key waits for the row. */
    Object takeRowAndBuy(String key) {
        return outer.execute(status -> {
            takeRow(key);
            return self.getObject().buy(key);
        });
    }

    private void takeRow(String key) {
        jdbc.update("""
                insert into crossing (key, takings)
                values (?, 1)
                on conflict (key) do update
                set takings = crossing.takings + 1""", key);
    }
}
