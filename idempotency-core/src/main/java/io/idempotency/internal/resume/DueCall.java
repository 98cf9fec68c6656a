package io.idempotency.internal.resume;

import java.util.Map;

import io.idempotency.Intent;

/**
 * The message of a call that is due to be resumed.
 *
 * @param intent the intent of the call
 * @param token the token of the lease after which it is due
 * @param arguments the JSON of its arguments by the names of their parameters
 * @param attempts how many attempts instances have made since the last one of its caller
 */
public record DueCall(Intent intent, String token, Map<String, String> arguments, int attempts) {}
