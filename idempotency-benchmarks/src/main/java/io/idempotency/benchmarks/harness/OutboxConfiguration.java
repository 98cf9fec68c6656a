package io.idempotency.benchmarks.harness;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;

/** The starter with the outbox, whose relay runs unless {@code idempotency.outbox.relay=false}. */
@Configuration(proxyBeanMethods = false)
@Import(StarterConfiguration.class)
@ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
public class OutboxConfiguration {}
