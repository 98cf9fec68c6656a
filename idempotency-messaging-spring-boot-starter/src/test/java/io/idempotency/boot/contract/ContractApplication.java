package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.TestDatabase;

/** A running application with the {@link Payments}, and what its database holds. */
final class ContractApplication {

    static final long INITIAL_CENTS = 1_000_000_000;

    private final TestDatabase database;

    private final ConfigurableApplicationContext context;

    ContractApplication(TestDatabase database, List<Class<?>> furtherBeans, List<String> furtherProperties) {
        List<Class<?>> beans = new ArrayList<>(List.of(Payments.class, Interruption.class, Outcomes.class));
        beans.addAll(furtherBeans);
        List<String> properties = new ArrayList<>(List.of(
                "spring.datasource.hikari.maximum-pool-size=40",
                "idempotency.sql-functions=true",
                // A test that cuts the next COMMIT must not cut that of the purge, of the maintenance, or of a sample.
                "idempotency.purge.enabled=false",
                "idempotency.storage.maintenance-interval=1d",
                "idempotency.sample-interval=1d"));
        properties.addAll(furtherProperties);
        this.database = database;
        this.context =
                JdbcTestApplication.start(database, beans.toArray(Class<?>[]::new), properties.toArray(String[]::new));
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Returns what opens a transaction, or joins the one that is open. */
    TransactionTemplate transaction() {
        return new TransactionTemplate(bean(PlatformTransactionManager.class));
    }

    TransactionTemplate transaction(Propagation propagation) {
        TransactionTemplate transaction = transaction();
        transaction.setPropagationBehavior(propagation.value());
        return transaction;
    }

    Payments payments() {
        return bean(Payments.class);
    }

    Interruption interruption() {
        return bean(Interruption.class);
    }

    Outcomes outcomes() {
        return bean(Outcomes.class);
    }

    TestDatabase database() {
        return database;
    }

    /** Outside of the transactions of the application. */
    JdbcTemplate jdbc() {
        return database.jdbc();
    }

    long effects(String account) {
        return jdbc().queryForObject("select count(*) from payment where account = ?", Long.class, account);
    }

    long spent(String account) {
        return INITIAL_CENTS - jdbc().queryForObject("select cents from account where name = ?", Long.class, account);
    }

    /** Of all accounts. */
    long spent() {
        return jdbc().queryForObject("select sum(? - cents) from account", Long.class, INITIAL_CENTS);
    }

    long effects() {
        return jdbc().queryForObject("select count(*) from payment", Long.class);
    }

    long requests() {
        return jdbc().queryForObject("select count(*) from idempotency.idempotency_request", Long.class);
    }

    /** Of all consumers. */
    List<String> handledMessages() {
        return jdbc().queryForList(
                        "select consumer || ' ' || message_id from idempotency.processed_message order by 1",
                        String.class);
    }

    List<Map<String, Object>> messageFailures() {
        return jdbc().queryForList("select * from idempotency.message_failure order by message_id");
    }

    /** The row of a key, whatever its scope is. */
    Map<String, Object> request(String key) {
        return jdbc().queryForMap("select * from idempotency.idempotency_request where idempotency_key = ?", key);
    }

    /** As if the time of the lease were over. */
    void expireLease(String key) {
        alterRequest(key, "locked_until = statement_timestamp() - interval '1 second'");
    }

    /** Changes the row of a key by hand, as no call does. */
    void alterRequest(String key, String assignments) {
        int rows = database.jdbc()
                .update(
                        "update idempotency.idempotency_request set " + assignments + " where idempotency_key = ?",
                        key);
        if (rows != 1) {
            throw new AssertionError(rows + " rows of key " + key);
        }
    }

    /** Forgets what was observed, and interrupts no payment any more. */
    void reset() {
        if (context.isActive()) {
            interruption().reset();
            outcomes().clear();
        }
    }

    void stop() {
        context.close();
    }
}
