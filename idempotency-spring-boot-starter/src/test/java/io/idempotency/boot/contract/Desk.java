package io.idempotency.boot.contract;

import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;

/** Payments that join the transaction of a test, and what may befall that. */
class Desk {

    private final JdbcTemplate jdbc;

    private final DataSource dataSource;

    private final AtomicInteger executions = new AtomicInteger();

    Desk(JdbcTemplate jdbc, DataSource dataSource) {
        this.jdbc = jdbc;
        this.dataSource = dataSource;
    }

    @Transactional
    @Idempotent(scope = "desk", key = "#key", fingerprint = "'same'")
    public String pay(String key, Runnable further) {
        String paid = pay();
        further.run();
        return paid;
    }

    @Transactional
    @Idempotent(scope = "desk-as", key = "#key", fingerprint = "#payload")
    public String payAs(String key, String payload) {
        return pay();
    }

    private String pay() {
        jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
        return "paid in execution " + executions.incrementAndGet();
    }

    int executions() {
        return executions.get();
    }

    void reset() {
        executions.set(0);
    }

    /** As if the transaction had lasted too long. */
    void runOutOfTime() {
        ((ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource)).setTimeoutInMillis(0);
    }

    void useUpTheTime() {
        runOutOfTime();
        jdbc.execute("select 1");
    }

    static void fail() {
        throw new IllegalStateException("on purpose");
    }
}
