package io.idempotency.postgres;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.codec.Fingerprint;
import io.idempotency.codec.Fingerprinter;

/** Requests that differ in what a test is about. */
final class Requests {

    /** Longer than any test waits. */
    static final Duration PATIENT = Duration.ofSeconds(30);

    private static final Duration RETENTION = Duration.ofDays(7);

    private Requests() {}

    static ClaimRequest request(String key) {
        return request(key, "payload");
    }

    static ClaimRequest request(String key, String payload) {
        return request(intent(key), payload, PATIENT);
    }

    static ClaimRequest request(Intent intent, String payload, Duration waitLimit) {
        return new ClaimRequest(intent, fingerprint(payload), RETENTION, waitLimit, false);
    }

    static ClaimRequest waitingAtMost(Duration waitLimit, String key) {
        return request(intent(key), "payload", waitLimit);
    }

    static ClaimRequest withoutResponse(String key) {
        return new ClaimRequest(intent(key), fingerprint("payload"), RETENTION, PATIENT, true);
    }

    static Intent intent(String key) {
        return new Intent("payments", "", new IdempotencyKey(key));
    }

    static Fingerprint fingerprint(String payload) {
        return new Fingerprint(Fingerprinter.VERSION, Arrays.copyOf(payload.getBytes(StandardCharsets.UTF_8), 32));
    }
}
