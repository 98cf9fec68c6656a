package io.idempotency.boot.tracing;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.idempotency.boot.KeyDisplay;

/**
 * Settings of the traces of calls and messages.
 *
 * @param keys Form in which traces show keys, callers and message ids.
 */
@ConfigurationProperties("idempotency.tracing")
public record IdempotencyTracingProperties(
        @DefaultValue("omitted") KeyDisplay keys) {}
