package io.idempotency.boot.logging;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.idempotency.boot.KeyDisplay;

/**
 * Settings of the log lines of calls and messages.
 *
 * @param keys Form in which keys, callers and message ids are logged.
 */
@ConfigurationProperties("idempotency.logging")
public record IdempotencyLoggingProperties(
        @DefaultValue("hashed") KeyDisplay keys) {}
