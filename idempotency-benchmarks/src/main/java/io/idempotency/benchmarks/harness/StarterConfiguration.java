package io.idempotency.benchmarks.harness;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.logging.IdempotencyMessagingLoggingAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;

/** The starter with its defaults, and without the outbox. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    IdempotencyAutoConfiguration.class,
    IdempotencyMessagingStorageAutoConfiguration.class,
    IdempotencyLoggingAutoConfiguration.class,
    IdempotencyMessagingAutoConfiguration.class,
    IdempotencyInboxAutoConfiguration.class,
    IdempotencyMessagingLoggingAutoConfiguration.class,
    IdempotencyMigrationAutoConfiguration.class
})
public class StarterConfiguration {}
