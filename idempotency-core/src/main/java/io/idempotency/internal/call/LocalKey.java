package io.idempotency.internal.call;

import java.util.UUID;

/**
 * The identity of a key in this JVM. The request id alone is unique only within one database.
 *
 * @param requestId the id of the intent or of the message
 * @param database the database that the call works on
 */
public record LocalKey(UUID requestId, Object database) {}
