package io.idempotency.internal.claim;

import java.util.List;

import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * A call that is due to be resumed.
 *
 * @param intent the intent of the call
 * @param fingerprint the fingerprint of its payload
 * @param arguments the names and the JSON of its arguments in turn
 * @param attempt the number of the last attempt
 * @param resumeCount how many attempts instances have made since the last one of its caller
 * @param isUnfinished whether that attempt has neither succeeded nor failed, because its process has ended or lost its database
 */
public record DueCall(
        Intent intent,
        Fingerprint fingerprint,
        List<String> arguments,
        int attempt,
        int resumeCount,
        boolean isUnfinished) {}
