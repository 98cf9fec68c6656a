package io.idempotency.internal.execution;

import java.util.UUID;

/**
 * Identifies a key in this JVM. The request id alone is unique only within one database.
 *
 * @param requestId stands for the intent, or for the message
 * @param database that the call works on
 */
public record LocalKey(UUID requestId, Object database) {}
