package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.idempotency.test.CuttingProxy;
import io.idempotency.test.TestDatabase;

/**
 * Starts the applications of one test class, all on its database with the tables of {@link Payments}: for the database a
 * second one in this JVM is as good as one in another.
 */
final class ContractApplications implements AutoCloseable {

    /** Tests assert on failures, so that nobody reads their log. */
    private static final List<String> LOGS_OF_FAILURES = List.of(
            "logging.level.com.zaxxer.hikari=error",
            "logging.level.org.hibernate=off",
            "logging.level.org.springframework=off");

    private final TestDatabase database;

    private final List<Class<?>> beans = new ArrayList<>();

    private final List<String> properties = new ArrayList<>();

    private final List<ContractApplication> started = new ArrayList<>();

    private @Nullable CuttingProxy proxy;

    ContractApplications(TestDatabase database) {
        this.database = database;
        Payments.createTables(database.jdbc());
    }

    TestDatabase database() {
        return database;
    }

    /** Those started from now on have this property, {@code name=value}, unless they are given another value. */
    ContractApplications with(String property) {
        properties.add(property);
        return this;
    }

    /** Those started from now on have these beans too. */
    ContractApplications with(Class<?> configuration) {
        beans.add(configuration);
        return this;
    }

    /** Those started from now on say nothing of connections and transactions that fail. */
    ContractApplications withQuietFailures() {
        properties.addAll(LOGS_OF_FAILURES);
        return this;
    }

    /** Those started from now on reach the database through this proxy, always the same one, and repeat a call soon. */
    CuttingProxy proxy() {
        if (proxy == null) {
            proxy = CuttingProxy.of(database);
            with("spring.datasource.url=" + proxy.jdbcUrl())
                    .with("idempotency.retry.delay=5ms")
                    .withQuietFailures();
        }
        return proxy;
    }

    /**
     * Starts one.
     *
     * @param ownBeans further configuration or component classes
     * @param ownProperties as {@code name=value}; later ones win
     */
    ContractApplication start(List<Class<?>> ownBeans, String... ownProperties) {
        List<Class<?>> allBeans = new ArrayList<>(beans);
        allBeans.addAll(ownBeans);
        List<String> all = new ArrayList<>(properties);
        all.addAll(List.of(ownProperties));
        ContractApplication application = new ContractApplication(database, allBeans, all);
        started.add(application);
        return application;
    }

    /** Removes what the last test has left. */
    void clear() {
        if (!started.isEmpty()) {
            started.forEach(ContractApplication::reset);
            database.jdbc().execute("""
                    delete from payment;
                    update account set cents = %d where cents <> %1$d;
                    delete from idempotency.idempotency_request;
                    delete from idempotency.processed_message;
                    delete from idempotency.message_failure;
                    delete from idempotency.stream_position""".formatted(ContractApplication.INITIAL_CENTS));
        }
    }

    @Override
    public void close() {
        started.forEach(ContractApplication::stop);
        if (proxy != null) {
            proxy.close();
        }
    }
}
