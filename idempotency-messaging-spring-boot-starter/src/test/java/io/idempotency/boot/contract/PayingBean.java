package io.idempotency.boot.contract;

import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** A bean under test: its effect is a payment, which nothing keeps from being made twice. */
abstract class PayingBean {

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    Interruption interruption;

    private final AtomicInteger executions = new AtomicInteger();

    int countExecution() {
        return executions.incrementAndGet();
    }

    /** Returns how often it was made since the last reset. */
    int makeEffect() {
        int execution = countExecution();
        jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
        return execution;
    }

    int executions() {
        return executions.get();
    }

    void reset() {
        executions.set(0);
    }
}
