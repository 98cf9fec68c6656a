package io.idempotency.boot.contract;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;

/** Payments that join the transaction of a test, and what may befall that. */
class Desk extends PayingBean {

    private final DataSource dataSource;

    Desk(DataSource dataSource) {
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

    @Transactional
    public void inTransaction(Runnable work) {
        work.run();
    }

    private String pay() {
        return "paid in execution " + makeEffect();
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
