package io.idempotency.internal.postgres;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;

/** Requests that differ in what a test is about. */
public final class Requests {

    /** What the first attempt at a key gets. */
    public static final ClaimResult GRANTED = ClaimResult.granted(Kind.GRANTED_NEW, 1);

    /** Longer than any test waits. */
    public static final Duration PATIENT = Duration.ofSeconds(30);

    /** Longer than any test runs. */
    public static final Duration LEASE = Duration.ofMinutes(10);

    private static final Duration RETENTION = Duration.ofDays(7);

    private Requests() {}

    public static ClaimRequest request(String key) {
        return request(key, "payload");
    }

    public static ClaimRequest request(String key, String payload) {
        return request(intent(key), payload, PATIENT);
    }

    public static ClaimRequest request(Intent intent, String payload, Duration waitLimit) {
        return of(intent, fingerprint(payload), RETENTION, null, waitLimit, false, null);
    }

    /** With the primary key of the intent. */
    public static ClaimRequest of(
            Intent intent,
            Fingerprint fingerprint,
            Duration retention,
            @Nullable Duration responseRetention,
            Duration waitLimit,
            boolean completeAtOnce,
            @Nullable Lease lease) {
        return new ClaimRequest(
                RequestKey.of(intent, fingerprint), retention, responseRetention, waitLimit, completeAtOnce, lease);
    }

    public static ClaimRequest waitingAtMost(Duration waitLimit, String key) {
        return request(intent(key), "payload", waitLimit);
    }

    public static ClaimRequest withoutResponse(String key) {
        return of(intent(key), fingerprint("payload"), RETENTION, null, PATIENT, true, null);
    }

    /** Whose response goes before its key. */
    public static ClaimRequest forgettingItsResponse(String key, Duration responseRetention) {
        return of(intent(key), fingerprint("payload"), RETENTION, responseRetention, PATIENT, false, null);
    }

    public static ClaimRequest leased(String key) {
        return leased(key, "payload", LEASE);
    }

    public static ClaimRequest leased(String key, String payload, Duration lease) {
        return leased(key, payload, lease, PATIENT);
    }

    public static ClaimRequest leased(String key, String payload, Duration lease, Duration waitLimit) {
        return of(
                intent(key),
                fingerprint(payload),
                RETENTION,
                null,
                waitLimit,
                false,
                new Lease(UUID.randomUUID(), lease, null, null));
    }

    public static ClaimRequest resumable(String key, Duration lease) {
        return of(
                intent(key),
                fingerprint("payload"),
                RETENTION,
                null,
                PATIENT,
                false,
                new Lease(UUID.randomUUID(), lease, Map.of("key", "1"), null));
    }

    public static Intent intent(String key) {
        return new Intent("payments", "", new IdempotencyKey(key));
    }

    public static Fingerprint fingerprint(String payload) {
        return new Fingerprint(Fingerprinter.VERSION, Arrays.copyOf(payload.getBytes(StandardCharsets.UTF_8), 32));
    }
}
