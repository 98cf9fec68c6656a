package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.transaction.IdempotencyPipelinedCommitAutoConfiguration;

/** What this project's contenders have in common: its defaults, and what every application gets with it. */
abstract class Starter extends CallContender implements Growing {

    static final String SCOPE = "payments";

    Starter(String name, ContenderSetup setup, Class<?>... services) {
        this(name, setup, List.of(services));
    }

    Starter(String name, ContenderSetup setup, List<Class<?>> services, String... properties) {
        super(name, setup, configuration(services.toArray(Class<?>[]::new)), properties);
    }

    static List<Class<?>> configuration(Class<?>... services) {
        List<Class<?>> configuration = new ArrayList<>(List.of(services));
        configuration.add(Configured.class);
        return configuration;
    }

    @Override
    List<String> tables() {
        return List.of("idempotency.idempotency_request", "idempotency.processed_message");
    }

    /** Copies the row of the prototype, with the primary key that the library computes. */
    @Override
    public final void grow(long from, long to) {
        admin.update("""
                insert into idempotency.idempotency_request (
                    request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                    response_body, claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at)
                select idempotency.idempotency_request_id(idempotency_scope, made.key, caller), idempotency_scope, caller,
                       made.key, request_hash, hash_version, status, response_body, claimed_by, claimed_at, attempt_count,
                       created_at, updated_at, expires_at + n * interval '1 millisecond'
                from idempotency.idempotency_request
                cross join generate_series(?::bigint, ?::bigint - 1) as n
                cross join lateral (select md5(? || n) as key) as made
                where idempotency_key = ?""", from, to, Keys.GROWN, PROTOTYPE_KEY);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        IdempotencyAutoConfiguration.class,
        IdempotencyLoggingAutoConfiguration.class,
        IdempotencyMigrationAutoConfiguration.class,
        IdempotencyPipelinedCommitAutoConfiguration.class
    })
    static class Configured {}
}
