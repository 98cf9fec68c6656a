package io.idempotency.boot.contract;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.DuplicatePolicy;
import io.idempotency.Idempotent;

/** One effect with every way to wait for it. */
class Transfers extends PayingBean {

    @Transactional
    @Idempotent(scope = "transfers", key = "#key", waitTimeout = "10m")
    public String transfer(String key) {
        return makeTransfer();
    }

    @Transactional
    @Idempotent(scope = "transfers-impatient", key = "#key", waitTimeout = "300ms")
    public String transferImpatiently(String key) {
        return makeTransfer();
    }

    @Transactional
    @Idempotent(scope = "transfers-fail", key = "#key", onDuplicate = DuplicatePolicy.FAIL)
    public String transferOrFail(String key) {
        return makeTransfer();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @Idempotent(scope = "transfers-apart", key = "#key", waitTimeout = "10m")
    public String transferApart(String key) {
        return makeTransfer();
    }

    @Transactional
    @Idempotent(scope = "transfers-nested", key = "#key", fingerprint = "#key", waitTimeout = "10m")
    public String transferAnd(String key, Runnable inside) {
        String id = makeTransfer();
        inside.run();
        return id;
    }

    private String makeTransfer() {
        String id = jdbc.queryForObject(
                "insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5) returning id::text",
                String.class);
        interruption.afterEffect();
        return id;
    }
}
